//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch bf16_dot<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_bf16.h>

extern "C" __global__ void bf16_dot(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ __nv_bfloat16 w[64][2];
    int tid = threadIdx.x;
    w[tid / 2][tid % 2] = __float2bfloat16(f[tid] * 0.25f + 1.0f);
    __syncthreads();
    int row = blockIdx.x * 128 + tid;
    float acc = 0.0f;
    __nv_bfloat162 packed = __float2bfloat162_rn(0.0f);
    for (int k = 0; k < 64; k++) {
        __nv_bfloat16 x = __float2bfloat16((float)idx[row * 64 + k]);
        acc += __bfloat162float(x) * __bfloat162float(w[k][0]);
        packed = __hfma2(__halves2bfloat162(x, x), __halves2bfloat162(w[k][0], w[k][1]), packed);
    }
    f[70000 + row] = acc;
    ((__nv_bfloat162 *)b)[row] = packed;
}
