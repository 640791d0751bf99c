// One warp, each operation on the result of the one before: what latency alone takes.
//@ param   n = 2000
//@ buffer  out float[32]
//@ launch  chain<<<1, 32>>>(out, n)
__global__ void chain(float *out, int n)
{
    float x = 0.5f + threadIdx.x * 0.01f;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            x = tanhf(x) + 1.0f;
        }
    }
    out[threadIdx.x] = x;
}
