// The same sums on tensor cores. A warp multiplies 32 queries with 64
// keys. The accumulators of the scores, once exp is taken, are in the
// very lanes where a left operand wants them. The next tile is copied
// meanwhile.
//@ launch  attentionTensor<<<dim3(n / 128, heads), 128>>>(
//@             q, k, v, out, n, causal)
#include <cuda_fp16.h>
#include <float.h>

enum { DIM = 64, KEYS = 64, STAGES = 2 };
enum { TILE = KEYS * DIM * 2, STAGE = 2 * TILE }; // bytes

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

// Until all of its copies have come.
__device__ void waitForCopies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
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

// Where 16 bytes of a row lie: each has eight such chunks.
__device__ int place(int row, int chunk)
{
    return row * (DIM * 2) + ((chunk ^ (row & 7)) * 16);
}

__device__ float powerOfTwo(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ unsigned twoHalves(float x, float y)
{
    half2 two = __floats2half2_rn(x, y);
    return *(unsigned *)&two;
}

extern "C" __global__ void __launch_bounds__(128, 2)
    attentionTensor(const half *q, const half *k, const half *v,
                    half *out, int n, int causal)
{
    __shared__ __align__(128) unsigned char shared[STAGES * STAGE];
    unsigned base = (unsigned)__cvta_generic_to_shared(shared);
    int tid = threadIdx.x, lane = tid % 32;
    // Causal, the last queries have most keys: they go first.
    int block = causal ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    int row = block * 128 + tid / 32 * 32; // the warp's first query
    long long head = (long long)blockIdx.y * n * DIM;
    q += head, k += head, v += head, out += head;

    auto fill = [&](int number, int first) {
        unsigned stage = base + number * STAGE;
#pragma unroll
        for (int r = 0; r < KEYS; r += 16) {
            int to = place(r + tid / 8, tid % 8);
            int from = (first + r) * DIM + tid * 8;
            copySixteen(stage + to, &k[from]);
            copySixteen(stage + TILE + to, &v[from]);
        }
    };

    int last = causal ? (block + 1) * 128 : n;
    fill(0, 0);
    // Fragments of 16 x 16: rows l / 4 and 8 below, columns 2 (l % 4),
    // the next, and both again 8 to the right.
    unsigned query[2][4][4];
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int c = 0; c < 4; c++)
#pragma unroll
            for (int p = 0; p < 4; p++)
                query[i][c][p] =
                    *(const unsigned
                          *)&q[(row + 16 * i + lane / 4 + p % 2 * 8) *
                                   DIM +
                               16 * c + lane % 4 * 2 + p / 2 * 8];

    const float scale = 0.125f * 1.44269504f; // exp(x) = 2^(1.44 x)
    float sum[2][8][4] = {}, most[2][2], total[2][2] = {};
#pragma unroll
    for (int i = 0; i < 4; i++)
        most[i / 2][i % 2] = -FLT_MAX;
    for (int first = 0, used = 0; first < last; first += KEYS) {
        waitForCopies();
        __syncthreads();
        if (first + KEYS < last)
            fill(used ^ 1, first + KEYS);
        unsigned keys = base + used * STAGE, values = keys + TILE;
        used ^= 1;

        float score[2][8][4] = {};
#pragma unroll
        for (int c = 0; c < 4; c++) {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                unsigned right[4]; // keys lie as columns of the operand
                loadRows(right,
                         keys + place(16 * j + lane / 16 * 8 + lane % 8,
                                      2 * c + lane / 8 % 2));
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    multiply(score[i][2 * j], query[i][c], right);
                    multiply(score[i][2 * j + 1], query[i][c],
                             right + 2);
                }
            }
        }
        if (causal && first + KEYS > row) {
#pragma unroll
            for (int s = 0; s < 64; s++) {
                int i = s / 32, j = s / 4 % 8, p = s % 4;
                if (first + 8 * j + lane % 4 * 2 + p % 2 >
                    row + 16 * i + lane / 4 + p / 2 * 8)
                    score[i][j][p] = -FLT_MAX;
            }
        }
#pragma unroll
        for (int i = 0; i < 2; i++) {
#pragma unroll
            for (int h = 0; h < 2; h++) { // four lanes share a row
                float now = most[i][h];
#pragma unroll
                for (int j = 0; j < 8; j++)
                    now = fmaxf(now, fmaxf(score[i][j][2 * h],
                                           score[i][j][2 * h + 1]));
                now = fmaxf(now, __shfl_xor_sync(~0u, now, 1));
                now = fmaxf(now, __shfl_xor_sync(~0u, now, 2));
                float less = powerOfTwo((most[i][h] - now) * scale);
                most[i][h] = now;
                total[i][h] *= less;
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    sum[i][j][2 * h] *= less;
                    sum[i][j][2 * h + 1] *= less;
#pragma unroll
                    for (int p = 2 * h; p < 2 * h + 2; p++) {
                        score[i][j][p] = powerOfTwo(
                            score[i][j][p] * scale - now * scale);
                        total[i][h] += score[i][j][p];
                    }
                }
            }
        }
#pragma unroll
        for (int c = 0; c < 4; c++) { // sixteen keys
            unsigned weight[2][4];
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int p = 0; p < 4; p++) {
                    const float *two =
                        &score[i][2 * c + p / 2][2 - p % 2 * 2];
                    weight[i][p] = twoHalves(two[0], two[1]);
                }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                unsigned right[4];
                loadColumns(right, values + place(16 * c + lane % 16,
                                                  2 * j + lane / 16));
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    multiply(sum[i][2 * j], weight[i], right);
                    multiply(sum[i][2 * j + 1], weight[i], right + 2);
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float all = total[i][h];
            all += __shfl_xor_sync(~0u, all, 1);
            all += __shfl_xor_sync(~0u, all, 2);
            half *to = &out[(row + 16 * i + 8 * h + lane / 4) * DIM +
                            lane % 4 * 2];
#pragma unroll
            for (int j = 0; j < 8; j++)
                *(unsigned *)&to[8 * j] = twoHalves(
                    sum[i][j][2 * h] / all, sum[i][j][2 * h + 1] / all);
        }
    }
}
