//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_half_arith<<<4, 64>>>(a, b, f, d)
// half2 and bfloat162 arithmetic: fma, fma.relu, fma.sat, min/max with and without NaN and xorsign,
// ex2 and tanh approximations, comparisons, header intrinsics. Arbitrary bits as inputs.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#define OP3(s) asm volatile(s " %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z)); o[256 * k++] = r
#define OP2(s) asm volatile(s " %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); o[256 * k++] = r
#define OP1(s) asm volatile(s " %0, %1;" : "=r"(r) : "r"(x)); o[256 * k++] = r
extern "C" __global__ void st_half_arith(int *a, int *b, float *f, double *d)
{
    const int g = blockIdx.x * 64 + threadIdx.x;            // 256
    int *o = b + g;
    int k = 0;
    unsigned r;
    for (int it = 0; it < 2; it++) {
        unsigned x = a[g + it * 1024], y = a[g + 256 + it * 1024], z = a[g + 512 + it * 1024];
        if (it) { x = (x & 0x87ff87ff) | 0x38003800; y = (y & 0x8fff8fff) | 0x30003000; z = (z & 0x83ff83ff) | 0x3c003c00; }
        OP3("fma.rn.f16x2"); OP3("fma.rn.relu.f16x2"); OP3("fma.rn.sat.f16x2"); OP3("fma.rn.ftz.f16x2");
        OP3("fma.rn.bf16x2"); OP3("fma.rn.relu.bf16x2");
        OP2("add.rn.f16x2"); OP2("sub.f16x2"); OP2("mul.rn.f16x2"); OP2("add.sat.f16x2"); OP2("mul.ftz.f16x2");
        OP2("add.rn.bf16x2"); OP2("mul.rn.bf16x2"); OP2("sub.rn.bf16x2");
        OP2("min.f16x2"); OP2("max.f16x2"); OP2("min.NaN.f16x2"); OP2("max.NaN.f16x2");
        OP2("max.xorsign.abs.f16x2"); OP2("min.NaN.xorsign.abs.f16x2");
        OP2("min.bf16x2"); OP2("max.NaN.bf16x2"); OP2("max.xorsign.abs.bf16x2"); OP2("min.ftz.f16x2");
        OP1("neg.f16x2"); OP1("abs.f16x2"); OP1("neg.bf16x2"); OP1("abs.bf16x2");
        OP1("ex2.approx.f16x2"); OP1("tanh.approx.f16x2"); OP1("ex2.approx.ftz.bf16x2"); OP1("tanh.approx.bf16x2");
        OP2("set.lt.f16x2.f16x2"); OP2("set.geu.u32.f16x2"); OP2("set.eq.bf16x2.bf16x2");
        // scalars
        unsigned short h, hx = x & 0xffff, hy = y >> 16;
        asm volatile("ex2.approx.f16 %0, %1;" : "=h"(h) : "h"(hx)); o[256 * k++] = h;
        asm volatile("tanh.approx.bf16 %0, %1;" : "=h"(h) : "h"(hy)); o[256 * k++] = h;
        asm volatile("fma.rn.relu.f16 %0, %1, %2, %1;" : "=h"(h) : "h"(hx), "h"(hy)); o[256 * k++] = h;
        asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(__uint_as_float(x)), "f"(__uint_as_float(y))); o[256 * k++] = r;
        asm volatile("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(__uint_as_float(x)), "f"(__uint_as_float(z))); o[256 * k++] = r;
        asm volatile("cvt.rz.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(__uint_as_float(z)), "f"(__uint_as_float(y))); o[256 * k++] = r;
    }
    // by the headers
    __half2 p = __floats2half2_rn((float)(g & 31) * 0.3f, (float)(g >> 3) * -0.7f);
    __half2 q = __hfma2(p, __float2half2_rn(0.11f), h2exp2(__hmul2(p, __float2half2_rn(0.05f))));
    __nv_bfloat162 u = __floats2bfloat162_rn((float)g * 0.01f, 3.0f - (float)g);
    u = __hmax2(__hfma2_relu(u, u, __float2bfloat162_rn(-0.5f)), __float2bfloat162_rn(0.125f));
    float2 qf = __half22float2(h2sqrt(__habs2(q))), uf = __bfloat1622float2(u);
    f[g] = qf.x; f[256 + g] = qf.y; f[512 + g] = uf.x; f[768 + g] = uf.y;
    f[1024 + g] = __half2float(__hadd(__low2half(q), __hmax_nan(__high2half(p), __float2half(-1.f))));
}
