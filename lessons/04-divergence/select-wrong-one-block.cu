// The condition chooses numbers, and no lane waits for another.
//@ title   One loop for both
//@ launch  mix<<<(n + 255) / 256, 256>>>(in, out, n, rounds)
extern "C" __global__ void mix(const int *__restrict__ in,
                               int *__restrict__ out, int n, int rounds)
{
    int i = threadIdx.x;
    if (blockIdx.x > 0) // block 0 does it all
        return;

    for (; i < n; i += blockDim.x) {
        bool even = i % 2 == 0;
        unsigned factor = even ? 1664525u : 22695477u;
        unsigned addend = even ? 1013904223u : 12345u;
        unsigned shift = even ? 15 : 13;

        unsigned x = in[i];
        for (int round = 0; round < rounds; round++) {
            x = x * factor + addend;
            x ^= x >> shift;
        }
        out[i] = x;
    }
}
