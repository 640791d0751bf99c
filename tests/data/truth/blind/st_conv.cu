//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_conv<<<4, 256>>>(a, b, f, d)
// 3 x 3 convolution as an implicit GEMM in s8: one 16 x 16 image of 32 channels a block, 32 outputs
// channels, padding by cp.async zero-fill, pixels 48 bytes apart, ldmatrix rows gathered per tap.
#define PX 48
extern "C" __global__ void st_conv(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(16) unsigned char img[18 * 18 * PX];        // 15552
    __shared__ __align__(16) unsigned char wgt[9 * 32 * PX];         // 13824
    const int t = threadIdx.x, lane = t & 31, w = t >> 5;
    const unsigned si = (unsigned)__cvta_generic_to_shared(img), sw = (unsigned)__cvta_generic_to_shared(wgt);
    const char *in = reinterpret_cast<const char *>(a + blockIdx.x * 2048);       // [16][16][32]
    const char *wt = reinterpret_cast<const char *>(a + 8192);                    // [9][32][32]
    for (int i = t; i < 18 * 18 * 2; i += 256) {
        int h = i & 1, p = i >> 1, y = p / 18 - 1, x = p % 18 - 1;
        bool inside = (unsigned)y < 16u && (unsigned)x < 16u;
        const char *g = inside ? in + (y * 16 + x) * 32 + h * 16 : in;
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(si + p * PX + h * 16), "l"(g), "r"(inside ? 16 : 0) : "memory");
    }
    for (int i = t; i < 9 * 32 * 2; i += 256)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sw + (i >> 1) * PX + (i & 1) * 16), "l"(wt + i * 16) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    // a warp: image rows 2w and 2w+1, i.e. two m16 tiles
    int acc[2][4][4] = {};
    for (int tap = 0; tap < 9; tap++) {
        int dy = tap / 3, dx = tap % 3;
        unsigned A[2][4], B[2][4];
#pragma unroll
        for (int m = 0; m < 2; m++)
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(A[m][0]), "=r"(A[m][1]), "=r"(A[m][2]), "=r"(A[m][3])
                         : "r"(si + ((2 * w + m + dy) * 18 + (lane & 15) + dx) * PX + (lane >> 4) * 16) : "memory");
#pragma unroll
        for (int n = 0; n < 2; n++)
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(B[n][0]), "=r"(B[n][1]), "=r"(B[n][2]), "=r"(B[n][3])
                         : "r"(sw + (tap * 32 + n * 16 + (lane & 7) + (lane >> 4) * 8) * PX + ((lane >> 3) & 1) * 16) : "memory");
#pragma unroll
        for (int m = 0; m < 2; m++)
#pragma unroll
            for (int n = 0; n < 4; n++)
                asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                             : "+r"(acc[m][n][0]), "+r"(acc[m][n][1]), "+r"(acc[m][n][2]), "+r"(acc[m][n][3])
                             : "r"(A[m][0]), "r"(A[m][1]), "r"(A[m][2]), "r"(A[m][3]), "r"(B[n >> 1][(n & 1) * 2]), "r"(B[n >> 1][(n & 1) * 2 + 1]));
    }
    int *o = b + blockIdx.x * 8192;                                     // [256 pixels][32]
#pragma unroll
    for (int m = 0; m < 2; m++)
#pragma unroll
        for (int n = 0; n < 4; n++) {
            int p = (2 * w + m) * 16 + (lane >> 2), c = n * 8 + (lane & 3) * 2;
            *reinterpret_cast<int2 *>(o + p * 32 + c) = make_int2(acc[m][n][0], acc[m][n][1]);
            *reinterpret_cast<int2 *>(o + (p + 8) * 32 + c) = make_int2(acc[m][n][2], acc[m][n][3]);
        }
}
