//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch reduce_grid_atomic<<<7, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void reduce_grid_atomic(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int lo = 0x7fffffff, hi = 0;
    unsigned long long sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 5000; i += blockDim.x * gridDim.x) {
        int4 q = v[i];
        int x = (q.x ^ q.y) + q.z + (q.w & 15) + idx[i];
        lo = min(lo, -x);
        hi = max(hi, x);
        sum += (unsigned long long)x * x;
    }
    lo = __reduce_min_sync(0xffffffffu, lo);
    hi = __reduce_max_sync(0xffffffffu, hi);
    if ((threadIdx.x & 31) == 0) {
        atomicMin(&b[0], lo);
        atomicMax(&b[1], hi);
    }
    atomicAdd((unsigned long long *)&b[2], sum);
}
