// A warp computes 64 x 64 elements, in 128 registers a lane: 32
// multiplications for eight loads, where there were 16 for six. Four
// such warps make a block, and an SM holds two. Fragments are loaded a
// step ahead, so that tensor cores multiply some while the others
// arrive.
//@ title   Larger tiles, fragments a step ahead
//@ why     Loads from shared memory and waiting for them are what is
//@ why     left: fewer for each product, and none before it is needed.
//@ needs   n % 128 == 0
//@ launch  tensorPipeline<<<dim3(n / 128, n / 128), 128, 3 * 32768>>>(
//@             a, b, c, n)
#include <cuda_fp16.h>

enum { SIDE = 128, DEPTH = 64, STAGES = 3 };
enum { TILE = SIDE * DEPTH * 2, STAGE = 2 * TILE }; // bytes

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

// Where 16 bytes lie: rows of A have eight such chunks, those of B 16.
__device__ int placeA(int row, int chunk)
{
    return row * (DEPTH * 2) + ((chunk ^ (row & 7)) * 16);
}

__device__ int placeB(int row, int chunk)
{
    return TILE + row * (SIDE * 2) + ((chunk ^ (row & 7)) * 16);
}

extern "C" __global__ void __launch_bounds__(128, 2)
    tensorPipeline(const half *a, const half *b, float *c, int n)
{
    extern __shared__ __align__(128) unsigned char shared[];
    unsigned base = (unsigned)__cvta_generic_to_shared(shared);
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int y = warp / 2 * 64,
        x = warp % 2 * 64; // in the block's part of C
    a += blockIdx.y * SIDE * n;
    b += blockIdx.x * SIDE;
    c += blockIdx.y * SIDE * n + blockIdx.x * SIDE;

    // What it copies: eight halves of a row, of every 16th of A and of
    // every eighth of B.
    int rowA = tid / 8, chunkA = tid % 8;
    int rowB = tid / 16, chunkB = tid % 16;
    auto fill = [&](int to, int first) {
        unsigned stage = base + to * STAGE;
#pragma unroll
        for (int r = 0; r < SIDE; r += 16)
            copySixteen(stage + placeA(rowA + r, chunkA),
                        &a[(rowA + r) * n + first + chunkA * 8]);
#pragma unroll
        for (int r = 0; r < DEPTH; r += 8)
            copySixteen(stage + placeB(rowB + r, chunkB),
                        &b[(first + rowB + r) * n + chunkB * 8]);
    };

    // Two sets of fragments: one is multiplied, the other is loaded.
    unsigned left[2][4][4], right[2][4][4];
    auto load = [&](int to, int from, int k) {
        unsigned stage = base + from * STAGE;
#pragma unroll
        for (int i = 0; i < 4; i++)
            loadRows(left[to][i], stage + placeA(y + 16 * i + lane % 16,
                                                 2 * k + lane / 16));
#pragma unroll
        for (int j = 0; j < 4; j++)
            loadColumns(right[to][j],
                        stage + placeB(16 * k + lane % 16,
                                       x / 8 + 2 * j + lane / 16));
    };

    float sum[4][8][4] = {};
    for (int s = 0; s < STAGES - 1; s++) {
        fill(s, DEPTH * s);
        endGroup();
    }
    waitForOlder();
    __syncthreads();
    int used = 0, filled = STAGES - 1;
    load(0, 0, 0);
    for (int first = 0; first < n; first += DEPTH) {
#pragma unroll
        for (int k = 0; k < DEPTH / 16; k++) {
            bool last = k == DEPTH / 16 - 1;
            if (last) {
                // The next stage has arrived, that of all threads.
                waitForOlder();
                __syncthreads();
                used = used + 1 < STAGES ? used + 1 : 0;
            }
            load((k + 1) % 2, used, last ? 0 : k + 1);
            if (k == 0) {
                // Nobody reads this stage since the last barrier.
                int ahead = first + DEPTH * (STAGES - 1);
                if (ahead < n)
                    fill(filled, ahead);
                endGroup();
                filled = filled + 1 < STAGES ? filled + 1 : 0;
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    multiply(sum[i][j], left[k % 2][i],
                             &right[k % 2][j / 2][j % 2 * 2]);
        }
    }
    // A lane has two neighbours in a row, and two more 8 rows below.
    c += (y + lane / 4) * n + x + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
#pragma unroll
            for (int h = 0; h < 2; h++)
                *(float2 *)&c[(16 * i + 8 * h) * n + 8 * j] =
                    make_float2(sum[i][j][2 * h], sum[i][j][2 * h + 1]);
}
