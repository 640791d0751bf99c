//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch stsm_x1_stride128<<<1, 64>>>(a, b, f, d)
__shared__ __align__(128) int s[8192];
__device__ static void fill(const int *a) { for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = a[i]; __syncthreads(); }
__device__ static unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ static void s1(unsigned p, const unsigned *r) { asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" :: "r"(p), "r"(r[0]) : "memory"); }
extern "C" __global__ void stsm_x1_stride128(int *a, int *b, float *f, double *d)
{
    int t = threadIdx.x, lane = t & 31; (void)lane;
    fill(a);
    unsigned r[4] = { (unsigned)t, (unsigned)t * 3 + 1, (unsigned)t * 5 + 2, (unsigned)t * 7 + 3 };
    int row = lane;
    s1(at(s) + (t >> 5) * 16384 + ((row & 7) * 128), r);
    __syncthreads();
    for (int i = t; i < 8192; i += 64)
        b[i] = s[i];
}
