// Three kernels: all scores, a softmax of each of their rows, and sums
// of values. The scores are a matrix of n x n floats for each head.
//@ title   Scores in memory
//@ why     The textbook's three steps. All scores are written, become
//@ why     weights in place, and are read: a gigabyte each time for
//@ why     16 heads of 4096.
//@ needs   n % 32 == 0
//@ scratch score float[heads * n * n]
//@ launch  makeScores<<<dim3(n / 32, n / 32, heads), dim3(32, 8)>>>(
//@             q, k, score, n, causal)
//@ launch  softmaxRows<<<heads * n / 8, 256>>>(score, n)
//@ launch  addValues<<<heads * n / 4, dim3(64, 4)>>>(score, v, out, n)
#include <cuda_fp16.h>
#include <math.h>

enum { DIM = 64 };

extern "C" __global__ void makeScores(const half *q, const half *k,
                                      float *score, int n, int causal)
{
    __shared__ float queries[32][DIM], keys[32][DIM + 1];
    int x = threadIdx.x, row = blockIdx.y * 32, col = blockIdx.x * 32;
    q += ((long long)blockIdx.z * n + row) * DIM;
    k += ((long long)blockIdx.z * n + col) * DIM;
    score += ((long long)blockIdx.z * n + row) * n + col;
    for (int i = threadIdx.y * 32 + x; i < 32 * DIM; i += 256) {
        queries[i / DIM][i % DIM] = __half2float(q[i]);
        keys[i / DIM][i % DIM] = __half2float(k[i]);
    }
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8) {
        float sum = 0;
        for (int d = 0; d < DIM; d++)
            sum += queries[y][d] * keys[x][d];
        // A key that comes later than its query does not count.
        bool later = causal && col + x > row + y;
        score[(long long)y * n + x] = later ? -INFINITY : sum / 8;
    }
}

// A warp a row, in place.
extern "C" __global__ void softmaxRows(float *score, int n)
{
    int lane = threadIdx.x % 32;
    score += ((long long)blockIdx.x * 8 + threadIdx.x / 32) * n;
    float most = -INFINITY, sum = 0;
    for (int i = lane; i < n; i += 32)
        most = fmaxf(most, score[i]);
    for (int half = 16; half > 0; half /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, half));
    for (int i = lane; i < n; i += 32)
        sum += __expf(score[i] - most);
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, half);
    for (int i = lane; i < n; i += 32)
        score[i] = __expf(score[i] - most) / sum;
}

extern "C" __global__ void addValues(const float *weight, const half *v,
                                     half *out, int n)
{
    int d = threadIdx.x;
    long long row = blockIdx.x * 4ll + threadIdx.y;
    weight += row * n;
    v += row / n * n * DIM; // those of its head
    float sum = 0;
    for (int j = 0; j < n; j++)
        sum += weight[j] * __half2float(v[j * DIM + d]);
    out[row * DIM + d] = __float2half(sum);
}
