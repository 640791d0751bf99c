//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch e_lock_inside<<<1, 32>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void e_lock_inside(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int lock, count; if (t == 0) { lock = 0; count = 0; } __syncthreads();
    bool done = false; while (!done) { if (atomicCAS(&lock, 0, 1) == 0) { count = count + 1; __threadfence_block(); atomicExch(&lock, 0); done = true; } }
    a[t] = 3; __syncthreads(); b[t] = count;
}
