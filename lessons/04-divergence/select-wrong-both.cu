// Right and without a split, but every lane does the work of both arms.
//@ title   One loop for both
//@ launch  mix<<<(n + 255) / 256, 256>>>(in, out, n, rounds)
extern "C" __global__ void mix(const int *__restrict__ in,
                               int *__restrict__ out, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    unsigned a = in[i], b = a;
    for (int round = 0; round < rounds; round++) {
        a = a * 1664525u + 1013904223u;
        a ^= a >> 15;
        b = b * 22695477u + 12345u;
        b ^= b >> 13;
    }
    out[i] = i % 2 == 0 ? a : b;
}
