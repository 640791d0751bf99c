//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch sp_s4<<<4, 128>>>(a, b)
// Sparse products of four bits, of which two neighbours of each eight are there twice: both shapes, every mix of signs.
// Each warp has other numbers: small ones, some of like size, some far apart, and any bits at all. All lanes hold metadata,
// so that a selector which takes it from another lane shows.
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

// The places of two elements of each four, in ascending order, eight times.
__device__ unsigned places(unsigned bits)
{
    unsigned out = 0;
    for (int i = 0; i < 8; i++, bits >>= 4)
        out |= (0xEDC984 >> (bits & 15) % 6 * 4 & 15) << 4 * i;
    return out;
}
extern "C" __global__ void sp_s4(const unsigned *a, unsigned *b)
{
    const int lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, kind = warp & 3;
    const unsigned *from = a + warp * 1024 + lane;
    unsigned x[4], y[4], z[4], meta = places(from[0]);
    for (int i = 0; i < 4; i++) {
        x[i] = from[32 * (1 + i)];
        y[i] = from[32 * (5 + i)];
        z[i] = kind == 3 ? from[32 * (9 + i)] : (unsigned)((int)from[32 * (9 + i)] >> 8);
    }
    KEEP(0, TWO, "sp.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", "0")
    KEEP(1, TWO, "sp.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", "1")
    KEEP(2, FOUR, "sp.sync.aligned.m16n8k128.row.col.s32.s4.s4.s32", "0")
    KEEP(3, TWO, "sp.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32", "0")
    KEEP(4, TWO, "sp.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32", "1")
    KEEP(5, FOUR, "sp.sync.aligned.m16n8k128.row.col.s32.u4.u4.s32", "0")
    KEEP(6, TWO, "sp.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32", "0")
    KEEP(7, FOUR, "sp.sync.aligned.m16n8k128.row.col.s32.s4.u4.s32", "0")
    KEEP(8, TWO, "sp.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32", "0")
    KEEP(9, FOUR, "sp.sync.aligned.m16n8k128.row.col.s32.u4.s4.s32", "0")
    KEEP(10, TWO, "sp::ordered_metadata.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.s4.s32", "1")
    KEEP(11, FOUR, "sp::ordered_metadata.sync.aligned.m16n8k128.row.col.satfinite.s32.u4.u4.s32", "0")
}
