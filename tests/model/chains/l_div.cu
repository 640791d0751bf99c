// One warp, each operation on the result of the one before: what latency alone takes.
//@ param   n = 2000
//@ buffer  out unsigned long long[32]
//@ launch  chain<<<1, 32>>>(out, n)
__global__ void chain(unsigned long long *out, int n)
{
    unsigned long long x = threadIdx.x + 5ull;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            x = 1000000000000000003ull / (x & 0xfffffull | 1ull);
        }
    }
    out[threadIdx.x] = x;
}
