//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_trans_stm<<<8, 256>>>(a, b, f, d)
// Batched transposition of 64 x 64 matrices of 16-bit elements: fragments straight from
// global memory, stmatrix.x4.trans to a padded tile, then 16-byte rows out.
extern "C" __global__ void st_trans_stm(int *a, int *b, float *f, double *d)
{
    constexpr int P = 64 * 2 + 16;
    __shared__ __align__(16) char t[64 * P];
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    const int *src = a + blockIdx.x * 2048;
    const unsigned s = (unsigned)__cvta_generic_to_shared(t);
    // warp w holds input rows 8w..8w+7, eight 8x8 matrices in two groups of four
    for (int g = 0; g < 2; g++) {
        unsigned v[4];
#pragma unroll
        for (int m = 0; m < 4; m++)
            v[m] = src[(w * 8 + lane / 4) * 32 + (g * 4 + m) * 4 + lane % 4];
        int orow = (g * 4 + lane / 8) * 8 + lane % 8;        // input column
        asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};"
                     :: "r"(s + orow * P + w * 16), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]) : "memory");
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += 256)
        reinterpret_cast<int4 *>(b)[blockIdx.x * 512 + i] =
            *reinterpret_cast<const int4 *>(t + (i / 8) * P + (i % 8) * 16);
}
