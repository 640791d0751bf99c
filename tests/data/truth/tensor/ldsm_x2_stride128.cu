//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch ldsm_x2_stride128<<<1, 64>>>(a, b, f, d)
__shared__ __align__(128) int s[8192];
__device__ static void fill(const int *a) { for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = a[i]; __syncthreads(); }
__device__ static unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ static void x2(unsigned p, unsigned *r) { asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(p) : "memory"); }
extern "C" __global__ void ldsm_x2_stride128(int *a, int *b, float *f, double *d)
{
    int t = threadIdx.x, lane = t & 31; (void)lane;
    fill(a);
    unsigned r[4] = { 0 };
    int row = lane;
    x2(at(s) + (t >> 5) * 64 + ((row & 15) * 128), r);
    for (int k = 0; k < 2; k++)
        b[t * 4 + k] = (int)r[k];
}
