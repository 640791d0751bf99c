// The same tiles and stages, with the instructions themselves: ldmatrix
// loads four pieces of 8 x 8 halves into the lanes where mma.sync wants
// them. A swizzle takes the place of the padding: 16 bytes of a row go
// to a place that depends on the row, so that eight rows of a column
// lie in different banks.
//@ title   ldmatrix, mma.sync, and a swizzle
//@ why     A fragment comes with one load without conflicts, and shared
//@ why     memory holds nothing but what is multiplied.
//@ needs   n % 128 == 0
//@ launch  tensorSwizzle<<<dim3(n / 128, n / 128), 256, 3 * 16384>>>(
//@             a, b, c, n)
#include <cuda_fp16.h>

enum { STAGES = 3, TILE = 128 * 32 * 2, STAGE = 2 * TILE }; // bytes

__device__ void copySixteen(unsigned to, const half *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :
                 : "r"(to), "l"(from)
                 : "memory");
#else // older GPUs have no such copies
    int4 eight = *(const int4 *)from;
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(to), "r"(eight.x), "r"(eight.y), "r"(eight.z),
                   "r"(eight.w)
                 : "memory");
#endif
}

// What was copied since the last call is a group.
__device__ void endGroup()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Until all of its groups but the newest have come.
__device__ void waitForOlder()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2)
                 : "memory");
#endif
}

// Four pieces of 8 x 8 halves: lane 8 p + r brings the address of row r
// of piece p, and gets elements 2 (l % 4) and the next of row l / 4.
__device__ void loadRows(unsigned *piece, unsigned from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                 "{%0, %1, %2, %3}, [%4];"
                 : "=r"(piece[0]), "=r"(piece[1]), "=r"(piece[2]),
                   "=r"(piece[3])
                 : "r"(from)
                 : "memory");
}

// The same with rows and columns exchanged.
__device__ void loadColumns(unsigned *piece, unsigned from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                 "{%0, %1, %2, %3}, [%4];"
                 : "=r"(piece[0]), "=r"(piece[1]), "=r"(piece[2]),
                   "=r"(piece[3])
                 : "r"(from)
                 : "memory");
}

// Adds 16 x 16 times 16 x 8 to 16 x 8.
__device__ void multiply(float *sum, const unsigned *left,
                         const unsigned *right)
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]),
          "r"(right[0]), "r"(right[1]));
#else // half as deep
    for (int k = 0; k < 2; k++)
        asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
            "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(left[2 * k]), "r"(left[2 * k + 1]), "r"(right[k]));
#endif
}

// Where 16 bytes lie: rows of A have four such chunks, those of B 16.
__device__ int placeA(int row, int chunk)
{
    return row * 64 + ((chunk ^ (row >> 1 & 3)) * 16);
}

__device__ int placeB(int row, int chunk)
{
    return TILE + row * 256 + ((chunk ^ (row & 7)) * 16);
}

extern "C" __global__ void __launch_bounds__(256)
    tensorSwizzle(const half *a, const half *b, float *c, int n)
{
    extern __shared__ __align__(128) unsigned char shared[];
    unsigned base = (unsigned)__cvta_generic_to_shared(shared);
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int y = warp / 4 * 64,
        x = warp % 4 * 32; // in the block's part of C
    a += blockIdx.y * 128 * n;
    b += blockIdx.x * 128;
    c += blockIdx.y * 128 * n + blockIdx.x * 128;

    // What it copies: eight halves of a row, twice of each tile.
    int rowA = tid / 4, chunkA = tid % 4;
    int rowB = tid / 16, chunkB = tid % 16;
    auto fill = [&](int to, int first) {
        unsigned stage = base + to * STAGE;
#pragma unroll
        for (int r = 0; r < 128; r += 64)
            copySixteen(stage + placeA(rowA + r, chunkA),
                        &a[(rowA + r) * n + first + chunkA * 8]);
#pragma unroll
        for (int r = 0; r < 32; r += 16)
            copySixteen(stage + placeB(rowB + r, chunkB),
                        &b[(first + rowB + r) * n + chunkB * 8]);
    };

    float sum[4][4][4] = {};
    for (int s = 0; s < STAGES - 1; s++) {
        fill(s, 32 * s);
        endGroup();
    }
    int used = 0, filled = STAGES - 1;
    for (int first = 0; first < n; first += 32) {
        // Its own copies have arrived; after the barrier those of all
        // have, and nobody reads the stage that is filled next.
        waitForOlder();
        __syncthreads();
        int ahead = first + 32 * (STAGES - 1);
        if (ahead < n)
            fill(filled, ahead);
        endGroup(); // at the end an empty one, so that counts go on
        unsigned stage = base + used * STAGE;
#pragma unroll
        for (int k = 0; k < 2; k++) {
            unsigned left[4][4], right[2][4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                loadRows(left[i], stage + placeA(y + 16 * i + lane % 16,
                                                 2 * k + lane / 16));
#pragma unroll
            for (int j = 0; j < 2; j++)
                loadColumns(right[j],
                            stage + placeB(16 * k + lane % 16,
                                           x / 8 + 2 * j + lane / 16));
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    multiply(sum[i][j], left[i],
                             &right[j / 2][j % 2 * 2]);
        }
        used = used + 1 < STAGES ? used + 1 : 0;
        filled = filled + 1 < STAGES ? filled + 1 : 0;
    }
    // A lane has two neighbours in a row, and two more 8 rows below.
    c += (y + lane / 4) * n + x + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int h = 0; h < 2; h++)
                *(float2 *)&c[(16 * i + 8 * h) * n + 8 * j] =
                    make_float2(sum[i][j][2 * h], sum[i][j][2 * h + 1]);
}
