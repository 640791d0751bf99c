// Loads in the order of memory, but each store goes to three places.
//@ title   Structures of three floats, taken apart
//@ needs   cols == 3
//@ launch  apart<<<(rows + 255) / 256, 256>>>(in, out, rows)
extern "C" __global__ void apart(const float *__restrict__ in,
                                 float *__restrict__ out, int points)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    for (int k = i; k < 3 * points; k += gridDim.x * 256)
        out[k % 3 * points + k / 3] = in[k];
}
