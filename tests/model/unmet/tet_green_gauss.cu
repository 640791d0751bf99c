// Gradient of a quantity in the cells of a mesh of tetrahedra, from its means on their
// four faces (Green and Gauss). Neighbours are numbered nearly in order, as after a
// renumbering, with a few far ones; -1 is the outer wall, where the cell's own value
// counts.
//@ param   cells = 520000
//@ buffer  neighbours int4[cells] = {
//@             max(0, i - 1 - hash(i) % 9), min(cells - 1, i + 1 + hash(i + 1) % 900),
//@             hash(i + 2) % 20 == 0 ? -1 : max(0, i - hash(i + 3) % 4000),
//@             hash(i + 4) % 50 == 0 ? hash(i + 5) % cells : i / 2 * 2}
//@ buffer  normals float[12 * cells] = hash(i) % 2000 * 0.001 - 1
//@ buffer  volume float[cells] = 0.1 + hash(i) % 100 * 0.01
//@ buffer  value float[cells] = hash(i + 11) % 1000 * 0.1
//@ buffer  gradient float[3 * cells]
//@ launch  gradients<<<(cells + 127) / 128, 128>>>(
//@             neighbours, normals, volume, value, gradient, cells)
__global__ void gradients(const int4 *neighbours, const float *normals,
                          const float *volume, const float *value, float *gradient,
                          int cells)
{
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= cells)
        return;

    int4 four = neighbours[cell];
    int beside[4] = {four.x, four.y, four.z, four.w};
    float own = value[cell];
    float gx = 0, gy = 0, gz = 0;
#pragma unroll
    for (int face = 0; face < 4; face++) {
        float other = beside[face] < 0 ? own : value[beside[face]];
        float mean = 0.5f * (own + other);
        // The normals, whose length is the face's area, are stored by face and component.
        const float *normal = normals + (size_t)face * 3 * cells + cell;
        gx += mean * normal[0];
        gy += mean * normal[cells];
        gz += mean * normal[2 * cells];
    }
    float inverse = 1.0f / volume[cell];
    gradient[cell] = gx * inverse;
    gradient[cells + cell] = gy * inverse;
    gradient[2 * cells + cell] = gz * inverse;
}
