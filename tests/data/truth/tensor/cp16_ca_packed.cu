//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch cp16_ca_packed<<<2, 64>>>(a, b, f, d)
__device__ static unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ static void ca16(unsigned to, const void *from) { asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(to), "l"(from) : "memory"); }
__device__ static void wait_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }
extern "C" __global__ void cp16_ca_packed(int *a, int *b, float *f, double *d)
{
    int t = threadIdx.x, lane = t & 31; (void)lane;
    __shared__ __align__(128) int s[8192];
    for (int i = t; i < 8192; i += 64)
        s[i] = 0;
    __syncthreads();
    ca16(at(s) + (t * 16), (const char *)a + blockIdx.x * 4096 + (t * 16));
    wait_all();
    __syncthreads();
    for (int i = t; i < 4096; i += 64)
        b[blockIdx.x * 4096 + i] = s[i];
}
