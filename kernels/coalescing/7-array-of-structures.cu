// The same numbers stored as points: four of column j's rows lie side
// by side in one structure. A warp reads its .x from words 16 bytes
// apart, then .y, .z and .w from the sectors that it just touched.
//@ title   Array of structures
//@ why     A load touches 16 sectors for 32 words, as with stride 4,
//@ why     but the rest of them is used soon after.
//@ launch  coalescing_array_of_structures<<<(n / 32 + 255) / 256,
//@                                          256>>>(points, out, n / 32)
//@ owner   out <<<i / 256, i % 256>>>
struct point {
    float x, y, z, w;
};

extern "C" __global__ void
coalescing_array_of_structures(const struct point *__restrict__ points,
                               float *__restrict__ out, int columns)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= columns)
        return;

    float sum = 0;
    for (int group = 0; group < 8; group++) {
        int p = group * columns + j;
        sum += points[p].x + points[p].y + points[p].z + points[p].w;
    }
    out[j] = sum;
}
