//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_cpa_sizes<<<4, 128>>>(a, b, f, d)
// cp.async of 4, 8 and 16 bytes, .ca and .cg, with src-size zero-fill and the ignore-src predicate.
__device__ __forceinline__ unsigned S(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
extern "C" __global__ void st_cpa_sizes(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(16) int s4[128], s4z[128];
    __shared__ __align__(16) int2 s8[128], s8z[128];
    __shared__ __align__(16) int4 s16[128], s16g[128], s16z[128], s16p[128];
    const int t = threadIdx.x;
    const int *src = a + blockIdx.x * 8192;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(S(&s4[t])), "l"(src + t) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(S(&s8[t])), "l"(src + 512 + 2 * t) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(S(&s16[t])), "l"(src + 1024 + 4 * t) : "memory");
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(S(&s16g[t])), "l"(src + 2048 + 4 * t) : "memory");
    // zero-fill: 0..size bytes are read
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(S(&s4z[t])), "l"(src + 3072 + t), "r"((t % 5) == 0 ? 0 : 4) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(S(&s8z[t])), "l"(src + 4096 + 2 * t), "r"(t % 9) : "memory");
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(S(&s16z[t])), "l"(src + 5120 + 4 * t), "r"(t % 17) : "memory");
    // ignore-src
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0;\n"
                 "  cp.async.cg.shared.global [%0], [%1], 16, p; }" ::"r"(S(&s16p[t])), "l"(src + 6144 + 4 * t), "r"(src[7000 + t] & 1) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    // read each other's data
    int u = (t * 37 + 11) & 127;
    int *o = b + blockIdx.x * 4096 + t;
    o[0] = s4[u]; o[128] = s4z[u];
    o[256] = s8[u].x ^ s8[u].y; o[384] = s8z[u].x; o[512] = s8z[u].y;
    int4 v = s16[u], g = s16g[u], z = s16z[u], p = s16p[u];
    o[640] = v.x ^ v.y ^ v.z ^ v.w;
    o[768] = g.x + g.y * 3 + g.z * 5 + g.w * 7;
    o[896] = z.x; o[1024] = z.y; o[1152] = z.z; o[1280] = z.w;
    o[1408] = p.x; o[1536] = p.y ^ p.z ^ p.w;
}
