//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_mma_special<<<1, 256>>>(a, b, f, d)
// Special values in mma: zeros of both signs, infinities, NaN, subnormals, the largest numbers.
// Warps 0-1 f16/f16, 2-3 f16/f32, 4-5 bf16, 6 tf32, 7 f64. Results are written as bits.
__device__ unsigned short tabh[16] = {0x0000, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x0001, 0x83ff, 0x0400,
                                      0x7bff, 0xfbff, 0x3c00, 0xbc00, 0x0200, 0x3555, 0xb800, 0x1400};
__device__ unsigned short tabb[16] = {0x0000, 0x8000, 0x7f80, 0xff80, 0x7fc0, 0x0001, 0x807f, 0x0080,
                                      0x7f7f, 0xff7f, 0x3f80, 0xbf80, 0x0040, 0x3eab, 0xbf00, 0x2000};
__device__ __forceinline__ unsigned pick(const unsigned short *t, unsigned r, bool specials)
{
    unsigned lo = r & 15, hi = (r >> 8) & 15;
    if (!specials) { lo = lo < 2 || lo >= 5 ? lo : 10; hi = hi < 2 || hi >= 5 ? hi : 11; }   // finite only
    return t[lo] | (unsigned)t[hi] << 16;
}
extern "C" __global__ void st_mma_special(int *a, int *b, float *f, double *d)
{
    const int tid = threadIdx.x, lane = tid & 31, w = tid >> 5;
    const bool sp = (w & 1) != 0;
    for (int rep = 0; rep < 6; rep++) {
        const int *q = a + (rep * 8 + w) * 256 + lane;
        int *o = b + ((rep * 8 + w) * 32 + lane) * 8;
        if (w < 4) {
            unsigned A[4], B[2];
            // keep most of A at ordinary values so that not every dot product becomes NaN
            for (int i = 0; i < 4; i++) A[i] = ((q[i * 32] >> 20) & 3) ? (((unsigned)q[i * 32] & 0x83ff83ffu) | 0x3c003c00u) : pick(tabh, q[i * 32], sp);
            for (int i = 0; i < 2; i++) B[i] = ((q[128 + i * 32] >> 20) & 3) ? (((unsigned)q[128 + i * 32] & 0x83ff83ffu) | 0x3c003c00u) : pick(tabh, q[128 + i * 32], sp);
            if (w < 2) {
                unsigned c0 = pick(tabh, q[192] >> 3, rep & 1), c1 = pick(tabh, q[224] >> 3, rep & 1);
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};"
                             : "+r"(c0), "+r"(c1) : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]));
                o[0] = c0; o[1] = c1;
            } else {
                float c0 = 0.f, c1 = -0.f, c2 = __int_as_float(rep == 5 ? 0x7f800000 : 0x00000001), c3 = 3e38f;
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                             : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]));
                o[0] = __float_as_int(c0); o[1] = __float_as_int(c1); o[2] = __float_as_int(c2); o[3] = __float_as_int(c3);
            }
        } else if (w < 6) {
            unsigned A0 = pick(tabb, q[0], sp), A1 = pick(tabb, q[32], false), B0 = pick(tabb, q[64], false);
            float c0 = -0.f, c1 = 0.f, c2 = 1e-40f, c3 = -3.3e38f;
            asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
                         : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(A0), "r"(A1), "r"(B0));
            o[0] = __float_as_int(c0); o[1] = __float_as_int(c1); o[2] = __float_as_int(c2); o[3] = __float_as_int(c3);
        } else if (w == 6) {
            unsigned A0 = (unsigned)tabb[q[0] & 15] << 16, A1 = (unsigned)tabb[(q[32] & 7) + 8] << 16, B0 = (unsigned)tabb[(q[64] & 3) + 10] << 16;
            float c0 = 0.f, c1 = -0.f, c2 = 1.f, c3 = -1.f;
            asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
                         : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(A0), "r"(A1), "r"(B0));
            o[0] = __float_as_int(c0); o[1] = __float_as_int(c1); o[2] = __float_as_int(c2); o[3] = __float_as_int(c3);
        } else {
            unsigned long long t[8] = {0ull, 0x8000000000000000ull, 0x7ff0000000000000ull, 0x0000000000000001ull,
                                       0x000fffffffffffffull, 0x7fefffffffffffffull, 0x3ff0000000000000ull, 0xbfd5555555555555ull};
            int ia = q[0] & 7;
            if (rep < 4 && ia == 2) ia = 6;               // infinities only in the last two rounds
            double A0 = __longlong_as_double(t[ia]), B0 = __longlong_as_double(t[(q[32] & 1) + 6]);
            double c0 = 0.0, c1 = 1e-310;
            asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
                         : "+d"(c0), "+d"(c1) : "d"(A0), "d"(B0));
            d[rep * 64 + lane] = c0; d[rep * 64 + 32 + lane] = c1;
        }
    }
}
