//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_trans_ldm<<<8, 128>>>(a, b, f, d)
// Batched transposition of 64 x 64 matrices of 16-bit elements by ldmatrix.x4.trans.
extern "C" __global__ void st_trans_ldm(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(16) unsigned short t[64][72];
    const int tid = threadIdx.x, lane = tid & 31, w = tid >> 5;
    const uint4 *src = reinterpret_cast<const uint4 *>(a) + blockIdx.x * 512;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int q = tid + i * 128;
        *reinterpret_cast<uint4 *>(&t[q >> 3][(q & 7) * 8]) = src[q];
    }
    __syncthreads();
    unsigned *dst = reinterpret_cast<unsigned *>(b) + blockIdx.x * 2048;   // 64 rows of 32 words
    // warp w gives the output rows 16w..16w+15, i.e. the input columns
#pragma unroll
    for (int r = 0; r < 64; r += 16) {
        unsigned m0, m1, m2, m3;
        int rr = r + ((lane >> 3) & 1) * 8 + (lane & 7);
        int cc = w * 16 + (lane >> 4) * 8;
        unsigned ad = (unsigned)__cvta_generic_to_shared(&t[rr][cc]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(m0), "=r"(m1), "=r"(m2), "=r"(m3) : "r"(ad));
        int orow = w * 16 + (lane >> 2), ocol = r / 2 + (lane & 3);
        dst[orow * 32 + ocol] = m0;
        dst[orow * 32 + ocol + 4] = m1;
        dst[(orow + 8) * 32 + ocol] = m2;
        dst[(orow + 8) * 32 + ocol + 4] = m3;
    }
}
