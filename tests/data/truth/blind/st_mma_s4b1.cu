//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_mma_s4b1<<<2, 64>>>(a, b, f, d)
// Sub-byte and single-bit mma: s4/u4 m8n8k32, m16n8k32, m16n8k64; b1 m8n8k128, m16n8k128, m16n8k256.
extern "C" __global__ void st_mma_s4b1(int *a, int *b, float *f, double *d)
{
    int gid = blockIdx.x * 64 + threadIdx.x;              // 128 threads
    unsigned x0 = a[gid], x1 = a[gid + 128], x2 = a[gid + 256], x3 = a[gid + 384];
    unsigned y0 = a[gid + 512], y1 = a[gid + 640];
    int c0 = 7, c1 = -7, c2 = 0, c3 = 0;
    int *o = b + gid * 4;
#define OUT(k) *reinterpret_cast<int4 *>(o + (k) * 512) = make_int4(c0, c1, c2, c3)
    asm volatile("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%0,%1},{%2},{%3},{%0,%1};" : "+r"(c0), "+r"(c1) : "r"(x0), "r"(y0));
    OUT(0);
    asm volatile("mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.s4.s32 {%0,%1},{%2},{%3},{%0,%1};" : "+r"(c0), "+r"(c1) : "r"(x1), "r"(y1));
    OUT(1);
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
                 : "+r"(c0), "+r"(c1), "+r"(c2), "+r"(c3) : "r"(x0), "r"(x1), "r"(y0));
    OUT(2);
    asm volatile("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                 : "+r"(c0), "+r"(c1), "+r"(c2), "+r"(c3) : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(y0), "r"(y1));
    OUT(3);
    asm volatile("mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                 : "+r"(c0), "+r"(c1), "+r"(c2), "+r"(c3) : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(y0), "r"(y1));
    OUT(4);
    c0 = c1 = c2 = c3 = 0;
    asm volatile("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%0,%1},{%2},{%3},{%0,%1};" : "+r"(c0), "+r"(c1) : "r"(x0), "r"(y0));
    OUT(5);
    asm volatile("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
                 : "+r"(c0), "+r"(c1), "+r"(c2), "+r"(c3) : "r"(x0), "r"(x1), "r"(y0));
    OUT(6);
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                 : "+r"(c0), "+r"(c1), "+r"(c2), "+r"(c3) : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(y0), "r"(y1));
    OUT(7);
    asm volatile("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%0,%1},{%2},{%3},{%0,%1};" : "+r"(c0), "+r"(c1) : "r"(x3), "r"(y0));
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                 : "+r"(c0), "+r"(c1), "+r"(c2), "+r"(c3) : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(y0), "r"(y1));
    OUT(8);
#undef OUT
}
