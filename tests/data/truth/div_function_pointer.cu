//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch div_function_pointer<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
typedef int (*op)(int, int);
__device__ __noinline__ int op_add(int x, int y) { return x + y; }
__device__ __noinline__ int op_sub(int x, int y) { return x - y * 3; }
__device__ __noinline__ int op_mul(int x, int y) { return x * y; }
__device__ op table[4] = { op_add, op_sub, op_mul, op_add };
extern "C" __global__ void div_function_pointer(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    op p = table[c[t] & 3]; b[t] = p(a[t], l);
}
