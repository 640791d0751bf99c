// Of every 64 elements, one warp takes the even, the next the odd.
//@ title   Deal out the elements
//@ launch  mix<<<(n + 255) / 256, 256>>>(in, out, n, rounds)
extern "C" __global__ void mix(const int *__restrict__ in,
                               int *__restrict__ out, int n, int rounds)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = thread % 32, odd = thread / 32 % 2;

    int i = thread / 64 * 64 + lane * 2 + odd;
    if (i >= n)
        return;

    unsigned x = in[i];
    if (i % 2 == 0) {
        for (int round = 0; round < rounds; round++) {
            x = x * 1664525u + 1013904223u;
            x ^= x >> 15;
        }
    } else {
        for (int round = 0; round < rounds; round++) {
            x = x * 22695477u + 12345u;
            x ^= x >> 13;
        }
    }
    out[i] = x;
}
