//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch sp_tf32<<<4, 128>>>(a, b)
// Sparse products of tf32, of which one of two elements is there: both shapes, with every selector.
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
__device__ unsigned number(unsigned x, int kind)
{
    const unsigned rest = x & 0x807fffff, field = x >> 23 & 255;
    return kind == 0   ? __float_as_uint((float)((int)(x & 15) - 8))
           : kind == 1 ? rest | (120 + (field & 15)) << 23
           : kind == 2 ? rest | (64 + (field & 127)) << 23
                       : x;
}

// The places of two elements of each four, in ascending order, eight times.
__device__ unsigned places(unsigned bits)
{
    unsigned out = 0;
    for (int i = 0; i < 8; i++, bits >>= 4)
        out |= (bits & 1 ? 0xE : 0x4) << 4 * i;
    return out;
}
extern "C" __global__ void sp_tf32(const unsigned *a, unsigned *b)
{
    const int lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, kind = warp & 3;
    const unsigned *from = a + warp * 1024 + lane;
    unsigned x[4], y[4], z[4], meta = places(from[0]);
    for (int i = 0; i < 4; i++) {
        x[i] = number(from[32 * (1 + i)], kind);
        y[i] = number(from[32 * (5 + i)], kind);
        z[i] = number(from[32 * (9 + i)], kind);
    }
    KEEP(0, TWO, "sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "0")
    KEEP(1, TWO, "sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "1")
    KEEP(2, TWO, "sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "2")
    KEEP(3, TWO, "sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "3")
    KEEP(4, TWO, "sp::ordered_metadata.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "2")
    KEEP(5, FOUR, "sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", "0")
    KEEP(6, FOUR, "sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", "1")
    KEEP(7, FOUR, "sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", "1")
}
