// Intrinsics of CUDA as a program uses them: what clang alone makes of them is what nvcc makes of them (intrinsics.txt).
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math_constants.h>
__global__ void a(float *o, double *d, int *q, unsigned *u, const float *x, const int *xi)
{
    float v = x[threadIdx.x], w = x[threadIdx.x + 1];
    int c = 0;
    o[c++] = __fadd_rn(v, w);
    o[c++] = __fadd_rz(v, w);
    o[c++] = __fadd_ru(v, w);
    o[c++] = __fadd_rd(v, w);
    o[c++] = __fsub_rn(v, w);
    o[c++] = __fmul_rn(v, w);
    o[c++] = __fmul_rz(v, w);
    o[c++] = __fmaf_rn(v, w, v);
    o[c++] = __fmaf_rz(v, w, v);
    o[c++] = __fmaf_ru(v, w, v);
    o[c++] = __fmaf_rd(v, w, v);
    o[c++] = __fdiv_rn(v, w);
    o[c++] = __fdiv_rz(v, w);
    o[c++] = __frcp_rn(w);
    o[c++] = __fsqrt_rn(fabsf(v));
    o[c++] = __fsqrt_rz(fabsf(v));
    o[c++] = __frsqrt_rn(fabsf(w));
    c = 0;
    d[c++] = __dadd_rn(v, w);
    d[c++] = __dmul_rn(v, w);
    d[c++] = __fma_rn(v, w, v);
    d[c++] = __ddiv_rn(v, w);
    d[c++] = __drcp_rn(w);
    d[c++] = __dsqrt_rn(fabs(v));
    d[c++] = __dsub_rn(v, w);
    d[c++] = __dadd_rz(v, w);
    d[c++] = __dmul_ru(v, w);
    d[c++] = __fma_rz(v, w, v);
    c = 0;
    q[c++] = __float2int_rn(v);
    q[c++] = __float2int_rz(v);
    q[c++] = __float2int_ru(v);
    q[c++] = __float2int_rd(v);
    q[c++] = __double2int_rn(v);
    q[c++] = __float_as_int(v);
    q[c++] = __double2hiint(v);
    q[c++] = __double2loint(v);
    q[c++] = (int)__float2ll_rn(v);
    q[c++] = (int)__double2ll_rz(v);
    q[c++] = __half2int_rn(__float2half(v));
    o[20] = __int2float_rn(xi[0]);
    o[21] = __int2float_rz(xi[0]);
    o[22] = __uint2float_rn(xi[0]);
    o[23] = __ll2float_rn(xi[0]);
    d[20] = __int2double_rn(xi[0]);
    d[21] = __ll2double_rn(xi[0]);
    d[22] = __hiloint2double(1, 2);
    o[24] = __double2float_rn(d[0]);
    o[25] = __double2float_rz(d[0]);
    c = 0;
    unsigned p = xi[1], r = xi[2];
    u[c++] = __vadd4(p, r);
    u[c++] = __vsub4(p, r);
    u[c++] = __vadd2(p, r);
    u[c++] = __vabsdiffu4(p, r);
    u[c++] = __vmaxs4(p, r);
    u[c++] = __vminu4(p, r);
    u[c++] = __vcmpeq4(p, r);
    u[c++] = __vsadu4(p, r);
    u[c++] = __vavgu4(p, r);
    u[c++] = __vaddus4(p, r);
    u[c++] = __vcmpgtu4(p, r);
    u[c++] = __vsetgtu4(p, r);
    u[c++] = __vmaxu2(p, r);
    u[c++] = __vneg4(p);
    u[c++] = __vabs4(p);
    u[c++] = __vaddss4(p, r);
    u[c++] = __vsub2(p, r);
    u[30] = __dp4a((int)p, (int)r, 3);
    u[31] = __dp2a_lo((int)p, (int)r, 3);
    u[32] = __dp2a_hi((int)p, (int)r, 3);
    u[33] = __funnelshift_l(p, r, 5);
    u[34] = __byte_perm(p, r, 0x5410);
    u[35] = __brev(p);
    u[36] = __clz(p);
    u[37] = __ffs(p);
    u[38] = __popc(p);
    u[39] = __umulhi(p, r);
    u[40] = __mul24(p, r);
    u[41] = __rhadd(p, r);
    u[42] = __hadd((int)p, (int)r);
    u[43] = __urhadd(p, r);
    u[44] = __sad(p, r, 1);
    u[45] = __usad(p, r, 1);
    u[46] = __fns(p, 0, 1);
    o[26] = CUDART_PI_F;
    d[23] = CUDART_PI;
    o[27] = CUDART_INF_F;
    d[24] = CUDART_SQRT_TWO;
}
__global__ void b(int *q, unsigned long long *t, const float *x, float *o, double *d)
{
    int i = threadIdx.x;
    q[i] = __syncthreads_count(i & 1) + __syncthreads_and(i < 100) + __syncthreads_or(i == 5);
    q[i] += __match_any_sync(~0u, i / 4);
    int pr;
    q[i] += __match_all_sync(~0u, 7, &pr) + pr;
    q[i] += __reduce_add_sync(~0u, i) + __reduce_max_sync(~0u, i) + __reduce_or_sync(~0u, (unsigned)i);
    __nanosleep(10);
    t[i] = clock64() > 0;
    q[i] += (clock() != 0) * 0;
    o[i] = __ldg(x + i) + __ldcg(x + i) + __ldca(x + i) + __ldcs(x + i) + __ldcv(x + i) + __ldlu(x + i);
    __stcg(o + i, o[i]);
    __stcs(o + i, o[i]);
    __stwt(o + i, o[i]);
    __stwb(o + i, o[i]);
    float4 v4 = __ldg((const float4 *)x);
    o[i] += v4.x + v4.w;
    double2 dd = make_double2(1, 2);
    d[0] = dd.x;
    atomicAdd(d + 1, 1.0);
    atomicAdd(o + 40, 1.f);
    atomicAdd_block(q + 40, 1);
    atomicAdd_system(q + 41, 1);
    atomicMax(q + 42, i);
    atomicCAS(q + 43, 0, 1);
    atomicExch(o + 41, 2.f);
    atomicInc((unsigned *)q + 44, 5);
    atomicDec((unsigned *)q + 45, 5);
    atomicAnd(q + 46, 1);
    atomicXor(q + 47, i);
    atomicOr(q + 48, i);
    atomicMin(t + 40, 3ull);
    atomicSub(q + 49, 1);
    __threadfence();
    __threadfence_block();
    __threadfence_system();
    __syncwarp();
    unsigned act = __activemask();
    q[i] += __popc(act) + __any_sync(act, 1) + __all_sync(act, 1) + __ballot_sync(act, 1) +
            __shfl_sync(act, i, 3) + __shfl_down_sync(act, i, 1) + __shfl_up_sync(act, i, 1) +
            __shfl_xor_sync(act, i, 1);
    q[i] += __isGlobal(q) + __isShared(q);
    __builtin_assume(i < 1024);
    o[i] += __double2float_rn(d[0]);
    long long ll = __shfl_sync(act, (long long)i, 2);
    q[i] += ll;
    double sd = __shfl_sync(act, 1.5 * i, 2);
    o[i] += sd;
    if (__isConstant(q))
        __trap();
    if (i > 2000)
        __brkpt();
}

int main()
{
    float *o, *x;
    double *d;
    int *q, *xi;
    unsigned *u;
    unsigned long long *t;
    cudaMallocManaged(&o, 4096);
    cudaMallocManaged(&x, 4096);
    cudaMallocManaged(&d, 4096);
    cudaMallocManaged(&q, 4096);
    cudaMallocManaged(&xi, 4096);
    cudaMallocManaged(&u, 4096);
    cudaMallocManaged(&t, 4096);
    memset(o, 0, 4096);
    memset(d, 0, 4096);
    memset(q, 0, 4096);
    memset(u, 0, 4096);
    memset(t, 0, 4096);
    for (int i = 0; i < 1024; i++)
        x[i] = 1.7f - i * 0.37f;
    xi[0] = -16777217;
    xi[1] = 0x81f37f02;
    xi[2] = 0x7e0281ff;
    a<<<1, 1>>>(o, d, q, u, x, xi);
    cudaDeviceSynchronize();
    for (int i = 0; i < 50; i++)
        printf("%d %.9g %.17g %d %08x\n", i, o[i], d[i], q[i], u[i]);
    memset(o, 0, 4096);
    memset(d, 0, 4096);
    memset(q, 0, 4096);
    b<<<1, 32>>>(q, t, x, o, d);
    printf("%d\n", cudaDeviceSynchronize());
    for (int i = 0; i < 52; i++)
        printf("%d %.9g %.17g %d %llu\n", i, o[i], d[i], q[i], t[i]);
    cudaDeviceReset();
}
