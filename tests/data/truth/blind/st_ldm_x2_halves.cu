//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_ldm_x2_halves<<<4, 64>>>(a, b, f, d)
// ldmatrix.x2: the first matrix comes from the upper half of a tile, the second
// from the lower half; columns are picked in various ways by each warp.
#define PITCH 80
extern "C" __global__ void st_ldm_x2_halves(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(16) unsigned char tile[32 * PITCH];
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    // 32 rows of 64 bytes
    for (int i = tid; i < 32 * 4; i += blockDim.x) {
        int r = i >> 2, c = i & 3;
        *reinterpret_cast<int4 *>(tile + r * PITCH + c * 16) =
            reinterpret_cast<const int4 *>(a)[blockIdx.x * 128 + i];
    }
    __syncthreads();
    unsigned s = (unsigned)__cvta_generic_to_shared(tile);
    int l16 = lane & 15;                       // lanes 16..31 repeat the addresses of 0..15
    int half = l16 >> 3, row = l16 & 7;
    int *out = b + (blockIdx.x * 2 + warp) * 32 * 8;
    int k = 0;
#pragma unroll
    for (int c = 0; c < 4; c++) {
        unsigned r0, r1;
        unsigned ad;
        if (warp == 0) ad = s + (half * 16 + row) * PITCH + c * 16;              // same column, rows +16
        else           ad = s + (half * 24 + (7 - row)) * PITCH + ((c + half) & 3) * 16;  // next column, rows reversed
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                     : "=r"(r0), "=r"(r1) : "r"(ad));
        out[(k++) * 32 + lane] = r0;
        out[(k++) * 32 + lane] = r1;
    }
    // interleaved even/odd rows
    unsigned r0, r1;
    unsigned ad = s + (row * 2 + half) * PITCH + warp * 32;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared::cta.b16 {%0,%1}, [%2];"
                 : "=r"(r0), "=r"(r1) : "r"(ad));
    b[32768 + (blockIdx.x * 2 + warp) * 32 + lane] = r0 ^ (r1 << 1);
}
