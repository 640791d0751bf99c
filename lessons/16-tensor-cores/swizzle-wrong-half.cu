// Four rows are apart, and the next four meet them.
//@ title   Four pieces of 8 x 8 at once
//@ needs   n % 64 == 0
//@ launch  multiply<<<dim3(n / 64, n / 64), 128>>>(a, b, c, n)
#include <cuda_fp16.h>

// Where 16 bytes of a row lie: a row has eight such chunks.
__device__ int place(int row, int chunk)
{
    return 64 * row + 8 * (chunk ^ (row & 3));
}

// Four pieces of 8 x 8: each lane brings the address of a row of one,
// and gets two neighbours of each piece.
__device__ void loadRows(unsigned *piece, const half *from)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(from);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                 "{%0, %1, %2, %3}, [%4];"
                 : "=r"(piece[0]), "=r"(piece[1]), "=r"(piece[2]),
                   "=r"(piece[3])
                 : "r"(at)
                 : "memory");
}

// The same with each piece turned: rows become columns.
__device__ void loadColumns(unsigned *piece, const half *from)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(from);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                 "{%0, %1, %2, %3}, [%4];"
                 : "=r"(piece[0]), "=r"(piece[1]), "=r"(piece[2]),
                   "=r"(piece[3])
                 : "r"(at)
                 : "memory");
}

// sum = left * right + sum: 16 x 16 times 16 x 8.
__device__ void mma(float *sum, const unsigned *left,
                    const unsigned *right)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]),
          "r"(right[0]), "r"(right[1]));
}

extern "C" __global__ void multiply(const half *a, const half *b,
                                    float *c, int n)
{
    __shared__ __align__(128) half tileA[64 * 64], tileB[64 * 64];
    int tid = threadIdx.x, lane = tid % 32, y = tid / 32 * 16;
    a += blockIdx.y * 64 * n;
    b += blockIdx.x * 64;
    c += blockIdx.y * 64 * n + blockIdx.x * 64;
    float sum[8][4] = {};
    for (int first = 0; first < n; first += 64) {
        for (int i = tid; i < 64 * 8; i += 128) {
            int row = i / 8, chunk = i % 8;
            *(int4 *)&tileA[place(row, chunk)] =
                *(const int4 *)&a[row * n + first + 8 * chunk];
            *(int4 *)&tileB[place(row, chunk)] =
                *(const int4 *)&b[(first + row) * n + 8 * chunk];
        }
        __syncthreads();
        for (int k = 0; k < 4; k++) {
            unsigned left[4], right[4];
            int row = y + lane % 16;
            loadRows(left, &tileA[place(row, 2 * k + lane / 16)]);
            for (int j = 0; j < 4; j++) {
                row = 16 * k + lane % 16;
                loadColumns(right,
                            &tileB[place(row, 2 * j + lane / 16)]);
                mma(sum[2 * j], left, right);
                mma(sum[2 * j + 1], left, right + 2);
            }
        }
        __syncthreads();
    }
    c += (y + lane / 4) * n + lane % 4 * 2;
    for (int j = 0; j < 8; j++)
        for (int h = 0; h < 2; h++)
            *(float2 *)&c[8 * h * n + 8 * j] =
                make_float2(sum[j][2 * h], sum[j][2 * h + 1]);
}
