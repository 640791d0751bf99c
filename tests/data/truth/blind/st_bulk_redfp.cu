//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_bulk_redfp<<<4, 64>>>(a, b, f, d)
// Bulk reductions of floating-point numbers: f32 and f64 add, f16 and bf16 add (noftz), min, max.
// The sums are of small integers, so that the order of the blocks does not matter.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__device__ __forceinline__ unsigned sp(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
extern "C" __global__ void st_bulk_redfp(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(128) float sf[512];
    __shared__ __align__(128) double sd[128];
    __shared__ __align__(128) __half sh[512];
    __shared__ __align__(128) __nv_bfloat16 sb[512];
    const int t = threadIdx.x;
    for (int i = t; i < 512; i += 64) {
        int v = a[blockIdx.x * 512 + i];
        sf[i] = (float)((v & 0xfff) - 2048);
        sh[i] = __int2half_rn(((v >> 12) & 127) - 64);
        sb[i] = __int2bfloat16_rn(((v >> 20) & 31) - 16);
        if (i < 128) sd[i] = (double)v;
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(f), "r"(sp(sf)), "r"(2048) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(f + 1024 + blockIdx.x * 64), "r"(sp(sf) + 256), "r"(256) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%0], [%1], %2;" ::"l"(d), "r"(sp(sd)), "r"(1024) : "memory");
        asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
    } else if (t == 33) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], %2;" ::"l"(b), "r"(sp(sh)), "r"(1024) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f16 [%0], [%1], %2;" ::"l"(b + 512), "r"(sp(sh)), "r"(1024) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.f16 [%0], [%1], %2;" ::"l"(b + 1024), "r"(sp(sh) + 16), "r"(96) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%0], [%1], %2;" ::"l"(b + 1536), "r"(sp(sb)), "r"(1024) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.bf16 [%0], [%1], %2;" ::"l"(b + 2048), "r"(sp(sb)), "r"(512) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.bf16 [%0], [%1], %2;" ::"l"(b + 2560), "r"(sp(sb)), "r"(16) : "memory");
        asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
