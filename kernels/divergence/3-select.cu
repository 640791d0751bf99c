// The condition only chooses numbers: flag ? a : b is one select
// instruction, not a branch. All lanes run the same loop, each with its
// own numbers, and neighbours may be dealt out as they lie.
//@ title   Select numbers, not arms
//@ why     Arms that differ only in their numbers need no branch, and a
//@ why     select splits no warp.
//@ launch  divergence_select<<<(n + 255) / 256, 256>>>(
//@             in, out, n, rounds)
//@ owner   out <<<i / 256, i % 256>>>
extern "C" __global__ void divergence_select(const int *__restrict__ in,
                                             int *__restrict__ out,
                                             int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

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
