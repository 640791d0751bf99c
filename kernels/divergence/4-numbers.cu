// Step 2, whose warps agree, with the numbers of step 3: each thread
// chooses them before one loop. Elements are dealt out as in step 2, so
// what differs from it is only where the loop gets its numbers from.
//@ title   Whole warps, chosen numbers
//@ why     Step 2 has its numbers in the instructions, step 3 in
//@ why     registers. This one is step 2 with registers.
//@ launch  divergence_numbers<<<(n + 255) / 256, 256>>>(
//@             in, out, n, rounds)
//@ owner   out <<<i / 256,
//@                i % 256 / 64 * 64 + i % 2 * 32 + i % 64 / 2>>>
extern "C" __global__ void
divergence_numbers(const int *__restrict__ in, int *__restrict__ out,
                   int n, int rounds)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = thread % 32, odd = thread / 32 % 2;
    int i = thread / 64 * 64 + lane * 2 + odd;
    if (i >= n)
        return;

    unsigned factor = odd ? 22695477u : 1664525u;
    unsigned addend = odd ? 12345u : 1013904223u;
    unsigned shift = odd ? 13 : 15;

    unsigned x = in[i];
    for (int round = 0; round < rounds; round++) {
        x = x * factor + addend;
        x ^= x >> shift;
    }
    out[i] = x;
}
