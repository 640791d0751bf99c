//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_mma_i8<<<4, 96>>>(a, b, f, d)
// 8-bit integers: m8n8k16, m16n8k16, m16n8k32 with every mixture of s8 and u8, .satfinite too.
#define MMA_884(TA, TB, SAT) \
    asm volatile("mma.sync.aligned.m8n8k16.row.col" SAT ".s32." TA "." TB ".s32 {%0,%1}, {%2}, {%3}, {%0,%1};" \
                 : "+r"(c0), "+r"(c1) : "r"(x0), "r"(y0))
#define MMA_16816(TA, TB, SAT) \
    asm volatile("mma.sync.aligned.m16n8k16.row.col" SAT ".s32." TA "." TB ".s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" \
                 : "+r"(c0), "+r"(c1), "+r"(c2), "+r"(c3) : "r"(x0), "r"(x1), "r"(y0))
#define MMA_16832(TA, TB, SAT) \
    asm volatile("mma.sync.aligned.m16n8k32.row.col" SAT ".s32." TA "." TB ".s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
                 : "+r"(c0), "+r"(c1), "+r"(c2), "+r"(c3) : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(y0), "r"(y1))
extern "C" __global__ void st_mma_i8(int *a, int *b, float *f, double *d)
{
    int gid = blockIdx.x * blockDim.x + threadIdx.x;      // 384 threads in all
    int x0 = a[gid], x1 = a[gid + 384], x2 = a[gid + 768], x3 = a[gid + 1152];
    int y0 = a[gid + 1536], y1 = a[gid + 1920];
    int c0 = 0, c1 = 1, c2 = -1, c3 = 100;
    int4 *o = reinterpret_cast<int4 *>(b) + gid;
    MMA_884("s8", "s8", "");   o[0] = make_int4(c0, c1, c2, c3);
    MMA_884("u8", "s8", "");   o[384] = make_int4(c0, c1, c2, c3);
    MMA_884("s8", "u8", "");   MMA_884("u8", "u8", "");
    o[2 * 384] = make_int4(c0, c1, c2, c3);
    MMA_16816("s8", "s8", ""); o[3 * 384] = make_int4(c0, c1, c2, c3);
    MMA_16816("s8", "u8", ""); MMA_16816("u8", "s8", ""); MMA_16816("u8", "u8", "");
    o[4 * 384] = make_int4(c0, c1, c2, c3);
    MMA_16832("s8", "s8", ""); o[5 * 384] = make_int4(c0, c1, c2, c3);
    MMA_16832("s8", "u8", ""); o[6 * 384] = make_int4(c0, c1, c2, c3);
    MMA_16832("u8", "s8", ""); o[7 * 384] = make_int4(c0, c1, c2, c3);
    for (int i = 0; i < 4; i++) { MMA_16832("u8", "u8", ""); x0 ^= 0x55555555; }
    o[8 * 384] = make_int4(c0, c1, c2, c3);
    // near the ends: wrap-around against saturation
    c0 = 0x7fffff00; c1 = 0x80000100; c2 = 0x7fffffff; c3 = 0x80000000;
    MMA_16832("s8", "s8", "");
    o[9 * 384] = make_int4(c0, c1, c2, c3);
    c0 = 0x7fffff00; c1 = 0x80000100; c2 = 0x7fffffff; c3 = 0x80000000;
    MMA_16832("s8", "s8", ".satfinite");
    o[10 * 384] = make_int4(c0, c1, c2, c3);
    MMA_16816("u8", "u8", ".satfinite");
    MMA_884("s8", "u8", ".satfinite");
    o[11 * 384] = make_int4(c0, c1, c2, c3);
}
