//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_mma_volta<<<2, 64>>>(a, b, f, d)
// m8n8k4 of sm_70: four independent quad-pair products in a warp, the four layouts,
// f16 and f32 accumulators, a chained 8x8x32 product.
#define V16(LA, LB) \
    asm volatile("mma.sync.aligned.m8n8k4." LA "." LB ".f16.f16.f16.f16 {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3};" \
                 : "+r"(h[0]), "+r"(h[1]), "+r"(h[2]), "+r"(h[3]) : "r"(x0), "r"(x1), "r"(y0), "r"(y1))
#define V32(LA, LB) \
    asm volatile("mma.sync.aligned.m8n8k4." LA "." LB ".f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%0,%1,%2,%3,%4,%5,%6,%7};" \
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3]), "+f"(s[4]), "+f"(s[5]), "+f"(s[6]), "+f"(s[7]) \
                 : "r"(x0), "r"(x1), "r"(y0), "r"(y1))
extern "C" __global__ void st_mma_volta(int *a, int *b, float *f, double *d)
{
    int gid = blockIdx.x * blockDim.x + threadIdx.x;     // 128
    unsigned x0 = (a[gid] & 0x83ff83ff) | 0x3c003c00, x1 = (a[gid + 128] & 0x83ff83ff) | 0x38003800;
    unsigned y0 = (a[gid + 256] & 0x83ff83ff) | 0x34003400, y1 = (a[gid + 384] & 0x83ff83ff) | 0x3c003c00;
    unsigned h[4] = {0, 0x3c00, 0x3c000000, 0xbc003c00};
    float s[8] = {0, 1, 2, 3, -1, -2, -3, 0.1f};
    int *ob = b + gid;
    float *of = f + gid;
#define OUT16(k) for (int i = 0; i < 4; i++) ob[((k) * 4 + i) * 128] = h[i]
#define OUT32(k) for (int i = 0; i < 8; i++) of[((k) * 8 + i) * 128] = s[i]
    V16("row", "col"); OUT16(0);
    V16("col", "row"); OUT16(1);
    V16("row", "row"); OUT16(2);
    V16("col", "col"); OUT16(3);
    V32("row", "col"); OUT32(0);
    V32("col", "row"); OUT32(1);
    V32("row", "row"); OUT32(2);
    V32("col", "col"); OUT32(3);
    for (int k = 0; k < 8; k++) {                        // chain along k
        x0 = (a[1024 + k * 512 + gid] & 0x83ff83ff) | 0x3c003c00;
        y1 = (a[1152 + k * 512 + gid] & 0x83ff83ff) | 0x3c003c00;
        V32("row", "col");
        V16("row", "col");
    }
    OUT32(4);
    OUT16(4);
    // f16 C, f32 D
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%12,%13,%14,%15};"
                 : "=f"(s[0]), "=f"(s[1]), "=f"(s[2]), "=f"(s[3]), "=f"(s[4]), "=f"(s[5]), "=f"(s[6]), "=f"(s[7])
                 : "r"(x0), "r"(x1), "r"(y0), "r"(y1), "r"(h[0]), "r"(h[1]), "r"(h[2]), "r"(h[3]));
    OUT32(5);
}
