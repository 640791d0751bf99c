//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_fence_bounds<<<4, 192>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ __launch_bounds__(192, 2) void hb_fence_bounds(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = threadIdx.x;
    int *p = b + 1024 + blockIdx.x * 256;
    p[i] = a[t] * 3;
    __threadfence();
    atomicAdd(&b[7], 1);
    __threadfence_block();
    __syncthreads();
    float w[12];
#pragma unroll
    for (int k = 0; k < 12; ++k)
        w[k] = (float)p[(i + k * 16) % 192] + f[t + k];
    float s = 0.0f;
#pragma unroll
    for (int k = 0; k < 12; ++k)
        s = s * 0.5f + w[k] * w[11 - k];
    f[8000 + t] = s;
    __threadfence_system();
    if (i == 191)
        b[100 + blockIdx.x] = p[0] + p[190];
}
