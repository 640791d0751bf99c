// Even elements go through one loop, odd elements through another, and
// neighbouring lanes take neighbours. So every warp holds both kinds:
// it runs the first arm with the odd lanes idle, then the second.
//@ title   Odd and even lanes part
//@ why     A warp whose lanes disagree runs both arms, one after the
//@ why     other: each lane waits half of the time.
//@ launch  divergence_odd_even_if<<<(n + 255) / 256, 256>>>(
//@             in, out, n, rounds)
//@ owner   out <<<i / 256, i % 256>>>
extern "C" __global__ void
divergence_odd_even_if(const int *__restrict__ in,
                       int *__restrict__ out, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
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
