// One kernel: a thread has a query and goes through the keys. It keeps
// the greatest score so far, the sum of exp, and the sums of values.
// When a greater score comes, the sums are scaled down.
//@ title   Online, nothing but the result in memory
//@ why     Scores stay in registers: the softmax of lesson 17, with 64
//@ why     sums to be scaled instead of one.
//@ needs   n % 64 == 0
//@ launch  attentionOnline<<<dim3(n / 64, heads), 64>>>(
//@             q, k, v, out, n, causal)
//@ owner   out <<<dim3(i / 64 % n / 64, i / 64 / n), i / 64 % 64>>>
#include <cuda_fp16.h>
#include <float.h>

enum { DIM = 64 };

// Eight halves, which lie side by side, as floats.
__device__ void loadEight(float *to, const half *from)
{
    uint4 eight = *(const uint4 *)from;
    const half2 *two = (const half2 *)&eight;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        to[2 * i] = __low2float(two[i]);
        to[2 * i + 1] = __high2float(two[i]);
    }
}

__device__ void storeEight(half *to, const float *from, float scale)
{
    uint4 eight;
    half2 *two = (half2 *)&eight;
#pragma unroll
    for (int i = 0; i < 4; i++)
        two[i] = __floats2half2_rn(from[2 * i] * scale,
                                   from[2 * i + 1] * scale);
    *(uint4 *)to = eight;
}

extern "C" __global__ void __launch_bounds__(64, 4)
    attentionOnline(const half *q, const half *k, const half *v,
                    half *out, int n, int causal)
{
    int row = blockIdx.x * 64 + threadIdx.x;
    long long head = (long long)blockIdx.y * n * DIM;
    q += head, k += head, v += head, out += head;
    float query[DIM], sum[DIM] = {}, most = -FLT_MAX, total = 0;
#pragma unroll
    for (int d = 0; d < DIM; d += 8)
        loadEight(&query[d], &q[row * DIM + d]);

    int last = causal ? row + 1 : n;
#pragma unroll 1
    for (int j = 0; j < last; j++) {
        float score = 0, eight[8];
#pragma unroll
        for (int d = 0; d < DIM; d++) {
            if (d % 8 == 0)
                loadEight(eight, &k[j * DIM + d]);
            score += query[d] * eight[d % 8];
        }
        score /= 8;
        if (score > most) { // soon seldom
            float less = __expf(most - score);
            total *= less;
#pragma unroll
            for (int d = 0; d < DIM; d++)
                sum[d] *= less;
            most = score;
        }
        float weight = __expf(score - most);
        total += weight;
#pragma unroll
        for (int d = 0; d < DIM; d++) {
            if (d % 8 == 0)
                loadEight(eight, &v[j * DIM + d]);
            sum[d] += weight * eight[d % 8];
        }
    }
#pragma unroll
    for (int d = 0; d < DIM; d += 8)
        storeEight(&out[row * DIM + d], &sum[d], 1 / total);
}
