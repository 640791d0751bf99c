//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_stm_swz<<<4, 128>>>(a, b, f, d)
// Epilogue of a GEMM: accumulators of one mma per warp-tile packed to half2, stored by
// stmatrix.x4 into a 128-byte swizzled tile and written out by 16-byte vectors.
#include <cuda_fp16.h>
static __device__ __forceinline__ unsigned pack(float x, float y)
{
    __half2 h = __floats2half2_rn(x, y);
    return *reinterpret_cast<unsigned *>(&h);
}
extern "C" __global__ void st_stm_swz(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(128) unsigned char ep[64 * 128];      // 64 rows of 64 halves
    const int tid = threadIdx.x, lane = tid & 31, w = tid >> 5;
    unsigned fa[4];
    for (int i = 0; i < 4; i++)
        fa[i] = (a[((blockIdx.x * 4 + w) * 4 + i) * 32 + lane] & 0x83ff83ff) | 0x3c003c00;
    unsigned base = (unsigned)__cvta_generic_to_shared(ep);
#pragma unroll
    for (int np = 0; np < 4; np++) {                            // pairs of n-tiles
        float c[2][4];
#pragma unroll
        for (int h = 0; h < 2; h++) {
            unsigned fb0 = (a[8192 + (np * 2 + h) * 64 + lane] & 0x83ff83ff) | 0x38003800;
            unsigned fb1 = (a[8192 + (np * 2 + h) * 64 + 32 + lane] & 0x83ff83ff) | 0x38003800;
            c[h][0] = c[h][1] = c[h][2] = c[h][3] = 0.f;
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                         : "+f"(c[h][0]), "+f"(c[h][1]), "+f"(c[h][2]), "+f"(c[h][3])
                         : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb0), "r"(fb1));
        }
        int row = w * 16 + (lane & 15);
        int chunk = np * 2 + (lane >> 4);
        unsigned ad = base + row * 128 + ((chunk ^ (row & 7)) << 4);
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(ad),
                     "r"(pack(c[0][0], c[0][1])), "r"(pack(c[0][2], c[0][3])),
                     "r"(pack(c[1][0], c[1][1])), "r"(pack(c[1][2], c[1][3])) : "memory");
    }
    __syncthreads();
    for (int i = tid; i < 512; i += 128) {
        int r = i >> 3, c = i & 7;
        int4 v = *reinterpret_cast<int4 *>(ep + r * 128 + ((c ^ (r & 7)) << 4));
        reinterpret_cast<int4 *>(b)[blockIdx.x * 512 + i] = v;
    }
}
