// Floats are loaded in the order of memory; only shared memory sees the
// stride of 3.
//@ title   Structures of three floats, taken apart
//@ needs   cols == 3
//@ launch  apart<<<(rows + 255) / 256, 256>>>(in, out, rows)
extern "C" __global__ void apart(const float *__restrict__ in,
                                 float *__restrict__ out, int points)
{
    __shared__ float stage[3 * 256]; // the points of a block
    int i = blockIdx.x * 256 + threadIdx.x;

    int first = blockIdx.x * 3 * 256; // the block's first float
    for (int k = threadIdx.x; k < 3 * 256; k += 256)
        if (first + k < 3 * points)
            stage[k] = in[first + k];
    __syncthreads();

    for (int field = 0; field < 3; field++)
        if (i < points)
            out[field * points + i] = stage[3 * threadIdx.x + field];
}
