// One warp, each operation on the result of the one before: what latency alone takes.
//@ param   n = 2000
//@ buffer  out double[32]
//@ launch  chain<<<1, 32>>>(out, n)
__global__ void chain(double *out, int n)
{
    double x = 0.5 + threadIdx.x * 0.01;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            x = fma(x, 0.5, 1.0);
        }
    }
    out[threadIdx.x] = x;
}
