// Arithmetic of half and bfloat16: what clang alone makes of it is what nvcc makes of it (halves.txt).
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
template <class T, class T2> __device__ int all(float *o, T a, T b, T2 p, T2 q)
{
    int c = 0;
#define P(v_) o[c++] = (float)(v_)
#define P2(v_)                                                                                               \
    {                                                                                                        \
        T2 r_ = (v_);                                                                                        \
        o[c++] = (float)r_.x;                                                                                \
        o[c++] = (float)r_.y;                                                                                \
    }
    P(a + b);
    P(a - b);
    P(a * b);
    P(a / b);
    P(-a);
    P(__hadd(a, b));
    P(__hsub(a, b));
    P(__hmul(a, b));
    P(__hdiv(a, b));
    P(__hneg(a));
    P(__habs(__hneg(a)));
    P(__hfma(a, b, a));
    P(__hmax(a, b));
    P(__hmin(a, b));
    P(__hgt(a, b));
    P(__hlt(a, b));
    P(__heq(a, a));
    P(__hne(a, b));
    P(__hge(a, b));
    P(__hle(a, b));
    P(a > b);
    P(a <= b);
    P(__hisnan(a));
    P(hsqrt(a));
    P(hrsqrt(a));
    P(hrcp(a));
    P(hexp(a));
    P(hexp2(a));
    P(hlog(a));
    P(hlog2(a));
    P(hlog10(a));
    P(hsin(a));
    P(hcos(a));
    P(hfloor(a));
    P(hceil(a));
    P(htrunc(a));
    P(hrint(a));
    P(hexp10(a));
    P2(p + q);
    P2(p - q);
    P2(p * q);
    P2(p / q);
    P2(-p);
    P2(__hadd2(p, q));
    P2(__hfma2(p, q, p));
    P2(__h2div(p, q));
    P2(h2sqrt(p));
    P2(h2exp(p));
    P2(__hmax2(p, q));
    P2(__hmin2(p, q));
    P2(__habs2(p));
    P2(__hneg2(p));
    P2(__heq2(p, q));
    P2(__hgt2(p, q));
    P(__hbgt2(p, q));
    P(__low2float(p));
    P(__high2float(p));
    P2(__lowhigh2highlow(p));
    a += b;
    P(a);
    a *= b;
    P(a);
    p += q;
    P2(p);
    P(__hadd_sat(a, b));
    P(__hmul_rn(a, b));
    P(__hfma_relu(a, -b, a));
    P(__shfl_xor_sync(~0u, a, 1));
    P2(__shfl_down_sync(~0u, p, 1));
    return c;
}
__global__ void k(float *o, float *w, __half *h, __nv_bfloat16 *g)
{
    int n = all<__half, __half2>(o, __float2half(1.75f), __float2half(0.3f), __floats2half2_rn(1.5f, 2.5f),
                                 __half2half2(__float2half(0.7f)));
    int m = all<__nv_bfloat16, __nv_bfloat162>(w, __float2bfloat16(1.75f), __float2bfloat16(0.3f),
                                               __floats2bfloat162_rn(1.5f, 2.5f),
                                               __bfloat162bfloat162(__float2bfloat16(0.7f)));
    atomicAdd(h, __float2half(0.5f));
    atomicAdd((__half2 *)(h + 2), __floats2half2_rn(1, 2));
    atomicAdd(g + 1, __float2bfloat16(0.5f));
    atomicAdd((__nv_bfloat162 *)(g + 2), __floats2bfloat162_rn(1, 2));
    __syncwarp();
    o[200] = __half2int_rn(h[0]);
    o[201] = __int2half_rn(7);
    o[202] = __half_as_ushort(h[0]);
    o[203] = __low2half(*(__half2 *)(h + 2));
    o[204] = (float)__ldg(h);
    o[205] = __half2float(__ushort_as_half(0x3c00));
    if (threadIdx.x == 0) {
        o[300] = n;
        o[301] = m;
    }
}
int main()
{
    float *o, *w;
    __half *h;
    __nv_bfloat16 *g;
    cudaMallocManaged(&o, 4096);
    cudaMallocManaged(&w, 4096);
    cudaMallocManaged(&h, 64);
    cudaMallocManaged(&g, 64);
    cudaMemset(o, 0, 4096);
    cudaMemset(w, 0, 4096);
    cudaMemset(h, 0, 64);
    cudaMemset(g, 0, 64);
    k<<<1, 32>>>(o, w, h, g);
    printf("%d\n", cudaDeviceSynchronize());
    for (int i = 0; i < 302; i++)
        printf("%d %g %g\n", i, o[i], w[i]);
    for (int i = 0; i < 4; i++)
        printf("%g %g\n", __half2float(h[i]), __bfloat162float(g[i]));
    cudaDeviceReset();
}
