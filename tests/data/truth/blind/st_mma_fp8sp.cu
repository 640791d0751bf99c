//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_mma_fp8sp<<<2, 64>>>(a, b, f, d)
// fp8 mma (m16n8k32, e4m3/e5m2 mixtures) and structured-sparse mma (f16 k16/k32, s8 k32/k64).
extern "C" __global__ void st_mma_fp8sp(int *a, int *b, float *f, double *d)
{
    int gid = blockIdx.x * 64 + threadIdx.x;               // 128 threads
    unsigned x[4], y[4];
    for (int i = 0; i < 4; i++) { x[i] = a[i * 128 + gid]; y[i] = a[512 + i * 128 + gid]; }
    float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
    float4 *o = reinterpret_cast<float4 *>(f) + gid;
    // finite bytes: clear one exponent bit (e4m3: NaN is S.1111.111; e5m2: exponent 31 is special)
#define FIN(v) ((v) & 0xBFBFBFBFu)
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                 : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(FIN(x[0])), "r"(FIN(x[1])), "r"(FIN(x[2])), "r"(FIN(x[3])), "r"(FIN(y[0])), "r"(FIN(y[1])));
    o[0] = make_float4(c0, c1, c2, c3);
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                 : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(FIN(x[0])), "r"(FIN(x[1])), "r"(FIN(x[2])), "r"(FIN(x[3])), "r"(FIN(y[2])), "r"(FIN(y[3])));
    o[128] = make_float4(c0, c1, c2, c3);
    c0 = c1 = c2 = c3 = 0;
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                 : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(FIN(x[3])), "r"(FIN(x[2])), "r"(FIN(x[1])), "r"(FIN(x[0])), "r"(FIN(y[0])), "r"(FIN(y[3])));
    o[256] = make_float4(c0, c1, c2, c3);
    // metadata: every nibble an ordered pair of positions
    const unsigned nib[6] = {0x4, 0x8, 0xC, 0x9, 0xD, 0xE};
    unsigned e = 0, m = a[2048 + gid];
    for (int i = 0; i < 8; i++) e |= nib[((m >> (4 * i)) & 15) % 6] << (4 * i);
    unsigned h[4], g[4];
    for (int i = 0; i < 4; i++) { h[i] = (x[i] & 0x83ff83ff) | 0x3c003c00; g[i] = (y[i] & 0x83ff83ff) | 0x3c003c00; }
    c0 = c1 = c2 = c3 = 0;
    asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6,%7},{%0,%1,%2,%3}, %8, 0x0;"
                 : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(h[0]), "r"(h[1]), "r"(g[0]), "r"(g[1]), "r"(e));
    o[384] = make_float4(c0, c1, c2, c3);
    asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%0,%1,%2,%3}, %12, 0x1;"
                 : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
                 : "r"(h[0]), "r"(h[1]), "r"(h[2]), "r"(h[3]), "r"(g[0]), "r"(g[1]), "r"(g[2]), "r"(g[3]), "r"(e));
    o[512] = make_float4(c0, c1, c2, c3);
    int i0 = 0, i1 = 0, i2 = 0, i3 = 0;
    asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5},{%6,%7},{%0,%1,%2,%3}, %8, 0x1;"
                 : "+r"(i0), "+r"(i1), "+r"(i2), "+r"(i3) : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(e));
    reinterpret_cast<int4 *>(b)[gid] = make_int4(i0, i1, i2, i3);
    asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.u8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%0,%1,%2,%3}, %12, 0x0;"
                 : "+r"(i0), "+r"(i1), "+r"(i2), "+r"(i3)
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(e));
    reinterpret_cast<int4 *>(b)[128 + gid] = make_int4(i0, i1, i2, i3);
}
