//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch spmv_scalar<<<5, 128>>>(a, b, f, d, v, c, idx, 1)
static __device__ __forceinline__ int spmv_scalar_ptr(const int *idx, int r) { return r * 9 + (idx[r] & 7); }

extern "C" __global__ void spmv_scalar(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < 600) {
        float dot = 0.0f;
        int start = spmv_scalar_ptr(idx, row), end = spmv_scalar_ptr(idx, row + 1);
        for (int e = start; e < end; e++)
            dot += f[e] * 0.01f * f[1024 + (idx[e] & 1023)];
        f[60000 + row] = dot + f[60000 + row];
    }
}
