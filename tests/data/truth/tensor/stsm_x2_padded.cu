//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch stsm_x2_padded<<<1, 64>>>(a, b, f, d)
__shared__ __align__(128) int s[8192];
__device__ static void fill(const int *a) { for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = a[i]; __syncthreads(); }
__device__ static unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ static void s2(unsigned p, const unsigned *r) { asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" :: "r"(p), "r"(r[0]), "r"(r[1]) : "memory"); }
extern "C" __global__ void stsm_x2_padded(int *a, int *b, float *f, double *d)
{
    int t = threadIdx.x, lane = t & 31; (void)lane;
    fill(a);
    unsigned r[4] = { (unsigned)t, (unsigned)t * 3 + 1, (unsigned)t * 5 + 2, (unsigned)t * 7 + 3 };
    int row = lane;
    s2(at(s) + (t >> 5) * 16384 + ((row & 15) * 144), r);
    __syncthreads();
    for (int i = t; i < 8192; i += 64)
        b[i] = s[i];
}
