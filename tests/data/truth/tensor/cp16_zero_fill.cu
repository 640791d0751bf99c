//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch cp16_zero_fill<<<2, 64>>>(a, b, f, d)
__device__ static unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ static void cpz(unsigned to, const void *from, int n) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to), "l"(from), "r"(n) : "memory"); }
__device__ static void wait_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }
extern "C" __global__ void cp16_zero_fill(int *a, int *b, float *f, double *d)
{
    int t = threadIdx.x, lane = t & 31; (void)lane;
    __shared__ __align__(128) int s[1024];
    cpz(at(s) + t * 16, (const char *)a + t * 16, t < 40 ? 16 : t < 50 ? 8 : 0);
    wait_all();
    __syncthreads();
    for (int i = t; i < 256; i += 64)
        b[blockIdx.x * 256 + i] = s[i];
}
