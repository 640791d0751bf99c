// One warp, each operation on the result of the one before: what latency alone takes.
//@ param   n = 2000
//@ buffer  out unsigned[32]
//@ launch  chain<<<1, 32>>>(out, n)
__global__ void chain(unsigned *out, int n)
{
    unsigned x = threadIdx.x + 5u;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            x = __ffs(x) + 4u;
        }
    }
    out[threadIdx.x] = x;
}
