// Each key may move the maximum, and all sums with it.
//@ launch  attention<<<dim3(n / 64, heads), 64>>>(
//@             q, k, v, out, n, causal)
#include <cuda_fp16.h>
#include <float.h>

enum { DIM = 64, KEYS = 32 };

extern "C" __global__ void __launch_bounds__(64)
    attention(const half *q, const half *k, const half *v, half *out,
              int n, int causal)
{
    __shared__ float keys[KEYS][DIM], values[KEYS][DIM];
    int row = blockIdx.x * 64 + threadIdx.x;
    long long head = (long long)blockIdx.y * n * DIM;
    q += head, k += head, v += head, out += head;
    float query[DIM], sum[DIM] = {}, most = -FLT_MAX, total = 0;
#pragma unroll
    for (int d = 0; d < DIM; d++)
        query[d] = __half2float(q[row * DIM + d]);

    int last = causal ? (blockIdx.x + 1) * 64 : n;
    for (int first = 0; first < last; first += KEYS) {
        __syncthreads(); // nobody needs the tile before
        for (int i = threadIdx.x; i < KEYS * DIM; i += 64) {
            keys[i / DIM][i % DIM] = __half2float(k[first * DIM + i]);
            values[i / DIM][i % DIM] = __half2float(v[first * DIM + i]);
        }
        __syncthreads();
        for (int j = 0; j < KEYS; j++) {
            float score = 0;
#pragma unroll
            for (int d = 0; d < DIM; d++)
                score += query[d] * keys[j][d];
            score /= 8;
            if (causal && first + j > row)
                score = -FLT_MAX;
            float now = fmaxf(most, score);
            float less = __expf(most - now);
            float weight = __expf(score - now);
            most = now;
            total = total * less + weight;
#pragma unroll
            for (int d = 0; d < DIM; d++)
                sum[d] = sum[d] * less + weight *
                         values[j][d];
        }
    }
#pragma unroll
    for (int d = 0; d < DIM; d++)
        out[row * DIM + d] = __float2half(sum[d] / total);
}
