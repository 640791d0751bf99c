// A thread has a query. Each reads all keys and values by itself.
//@ launch  attention<<<dim3(n / 64, heads), 64>>>(
//@             q, k, v, out, n, causal)
#include <cuda_fp16.h>
#include <float.h>

enum { DIM = 64 };

extern "C" __global__ void __launch_bounds__(64)
    attention(const half *q, const half *k, const half *v, half *out,
              int n, int causal)
{
    int row = blockIdx.x * 64 + threadIdx.x;
    long long head = (long long)blockIdx.y * n * DIM;
    q += head, k += head, v += head, out += head;
    float query[DIM], sum[DIM] = {}, most = -FLT_MAX, total = 0;
#pragma unroll
    for (int d = 0; d < DIM; d++)
        query[d] = __half2float(q[row * DIM + d]);

    int last = causal ? row + 1 : n;
    for (int j = 0; j < last; j++) {
        float score = 0;
#pragma unroll
        for (int d = 0; d < DIM; d++)
            score += query[d] * __half2float(k[j * DIM + d]);
        score /= 8;
        float now = fmaxf(most, score);
        float less = __expf(most - now);
        float weight = __expf(score - now);
        most = now;
        total = total * less + weight;
#pragma unroll
        for (int d = 0; d < DIM; d++)
            sum[d] = sum[d] * less + weight *
                     __half2float(v[j * DIM + d]);
    }
#pragma unroll
    for (int d = 0; d < DIM; d++)
        out[row * DIM + d] = __float2half(sum[d] / total);
}
