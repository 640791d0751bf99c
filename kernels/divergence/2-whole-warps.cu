// The same two loops, but of every 64 elements one warp takes the 32
// even ones, the next warp the 32 odd ones. All lanes of a warp now
// agree on the branch, so no warp runs both arms.
//@ title   Whole warps part
//@ why     A branch costs only where a warp splits. Deal out the
//@ why     elements so that each warp has one kind.
//@ launch  divergence_whole_warps<<<(n + 255) / 256, 256>>>(
//@             in, out, n, rounds)
//@ owner   out <<<i / 256,
//@                i % 256 / 64 * 64 + i % 2 * 32 + i % 64 / 2>>>
extern "C" __global__ void
divergence_whole_warps(const int *__restrict__ in,
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
