//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_bulk_redint<<<4, 128>>>(a, b, f, d)
// Bulk reductions of integers from shared to global memory: add, min, max, and, or, xor, inc, dec
// over u32, s32, u64, s64, b32, b64. All blocks reduce into the same places; each op is commutative.
#define RED(OP, DST, SRC, N) \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." OP " [%0], [%1], %2;" \
                 ::"l"(__cvta_generic_to_global(DST)), "r"((unsigned)__cvta_generic_to_shared(SRC)), "r"(N) : "memory")
extern "C" __global__ void st_bulk_redint(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(16) int s[1024];
    __shared__ __align__(16) unsigned bound[64];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = a[blockIdx.x * 1024 + i];
    if (threadIdx.x < 64) bound[threadIdx.x] = threadIdx.x % 5 + 1;      // the same in every block
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        RED("add.u32", b, s, 4096);
        RED("add.s32", b + 1024, s + 256, 1024);
        RED("min.s32", b + 2048, s, 512);
        RED("max.s32", b + 3072, s + 4, 2048);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        RED("min.u32", b + 4096, s, 256);                       // stays zero
        RED("max.u32", b + 5120, s, 4096);
        RED("and.b32", b + 6144, s, 64);
        RED("or.b32", b + 7168, s + 512, 1024);
        RED("xor.b32", b + 8192, s, 4096);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        RED("inc.u32", b + 10240, bound, 256);
        RED("dec.u32", b + 10304, bound, 256);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 1;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    } else if (threadIdx.x == 32) {
        RED("add.u64", b + 12288, s, 4096);
        RED("min.s64", b + 14336, s, 1024);
        RED("max.u64", b + 15360, s, 16);
        RED("max.s64", b + 16384, s, 48);
        RED("xor.b64", b + 17408, s + 8, 2000);
        RED("or.b64", b + 18432, s, 128);
        RED("and.b64", d, s, 512);                              // d is not zero
        RED("min.u64", d + 64, s, 256);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
