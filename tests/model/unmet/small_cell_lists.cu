// Sorts 150000 particles of a granular flow into cells by linked lists: the head of a
// cell's list is exchanged for the particle's number, and the particle remembers the old
// head. Cells also count their particles and remember the fastest.
//@ param   n = 150000
//@ param   side = 40
//@ buffer  position float[3 * n] = hash(i) % 40000 * 0.001
//@ buffer  velocity float[3 * n] = hash(i + 5) % 2000 * 0.001 - 1
//@ buffer  head int[side * side * side] = -1
//@ buffer  count int[side * side * side] = 0
//@ buffer  fastest int[side * side * side] = 0
//@ buffer  next int[n]
//@ launch  link<<<(n + 127) / 128, 128>>>(
//@             position, velocity, head, count, fastest, next, side, n)
__global__ void link(const float *position, const float *velocity, int *head, int *count,
                     int *fastest, int *next, int side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    int x = min(max((int)position[i], 0), side - 1);
    int y = min(max((int)position[n + i], 0), side - 1);
    int z = min(max((int)position[2 * n + i], 0), side - 1);
    int cell = (z * side + y) * side + x;

    float vx = velocity[i], vy = velocity[n + i], vz = velocity[2 * n + i];
    float speed = sqrtf(vx * vx + vy * vy + vz * vz);

    next[i] = atomicExch(&head[cell], i);
    atomicAdd(&count[cell], 1);
    // Floats that are not negative are in the same order as their bits.
    atomicMax(&fastest[cell], __float_as_int(speed));
}
