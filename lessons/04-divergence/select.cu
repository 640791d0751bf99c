// Even and odd lanes should run one loop, each with its own numbers.
//@ title   One loop for both
//@ launch  mix<<<(n + 255) / 256, 256>>>(in, out, n, rounds)
extern "C" __global__ void mix(const int *__restrict__ in,
                               int *__restrict__ out, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    // TODO: choose three numbers by i % 2: the factor, the addend, the
    // shift. Then one loop is enough, and the branch can go.
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
