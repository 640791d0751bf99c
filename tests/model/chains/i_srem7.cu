// One warp, each operation on the result of the one before: what latency alone takes.
//@ param   n = 2000
//@ buffer  out int[32]
//@ launch  chain<<<1, 32>>>(out, n)
__global__ void chain(int *out, int n)
{
    int x = threadIdx.x + 5;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            x = x % 7 + 1000;
        }
    }
    out[threadIdx.x] = x;
}
