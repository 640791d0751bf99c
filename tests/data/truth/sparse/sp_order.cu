//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch sp_order<<<4, 128>>>(a, b)
// Sparse products of halves whose places are in either order.
// Each warp has other numbers: small ones, some of like size, some far apart, and any bits at all. All lanes hold metadata,
// so that a selector which takes it from another lane shows.
#include <cuda_fp16.h>
#define TWO(name, c, d) \
    asm volatile("mma." name " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%9,%10,%11}, %12, " c ";" \
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) \
                 : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(meta))
#define FOUR(name, c, d) \
    asm volatile("mma." name " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12,%13,%14,%15}, %16, " c ";" \
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) \
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), \
                   "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(meta))
#define KEEP(at, how, name, c) \
    { \
        unsigned d[4] = {}; \
        how(name, c, d); \
        for (int i = 0; i < 4; i++) \
            b[((at) * 16 + warp) * 128 + lane * 4 + i] = d[i]; \
    }
__device__ unsigned number(unsigned x, int kind)
{
    const unsigned rest = x & 0x807fffff, field = x >> 23 & 255;
    return kind == 0   ? __float_as_uint((float)((int)(x & 15) - 8))
           : kind == 1 ? rest | (120 + (field & 15)) << 23
           : kind == 2 ? rest | (64 + (field & 127)) << 23
                       : x;
}
__device__ unsigned half_of(unsigned x, int kind)
{
    const unsigned rest = x & 0x83ff, field = x >> 10 & 31;
    return kind == 0   ? __half_as_ushort(__float2half((float)((int)(x & 15) - 8)))
           : kind == 1 ? rest | (12 + (field & 7)) << 10
           : kind == 2 ? rest | field % 31 << 10
                       : x & 0xffff;
}
__device__ unsigned halves(unsigned x, int kind)
{
    return half_of(x, kind) | half_of(x >> 16, kind) << 16;
}

// The places of two elements of each four, in ascending order, eight times.
__device__ unsigned places(unsigned bits)
{
    unsigned out = 0;
    for (int i = 0; i < 8; i++, bits >>= 4)
        out |= ((0xE9D8C4E9D849C4B6 >> (bits & 15) * 4 & 15)) << 4 * i;
    return out;
}
extern "C" __global__ void sp_order(const unsigned *a, unsigned *b)
{
    const int lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, kind = warp & 3;
    const unsigned *from = a + warp * 1024 + lane;
    unsigned x[4], y[4], z[4], meta = places(from[0]);
    for (int i = 0; i < 4; i++) {
        x[i] = halves(from[32 * (1 + i)], kind);
        y[i] = halves(from[32 * (5 + i)], kind);
        z[i] = number(from[32 * (9 + i)], kind);
    }
    KEEP(0, TWO, "sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "1")
    KEEP(1, FOUR, "sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", "0")
}
