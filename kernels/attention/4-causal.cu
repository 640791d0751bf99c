// Causal, a query looks at keys up to its own: tiles past the last
// query of a block count for nothing, and are left out. Without a mask
// this is the step before.
//@ title   Tiles of no weight left out
//@ why     Half of the work is not done at all, instead of multiplied
//@ why     by 0. Try it with --size causal.
//@ needs   n % 64 == 0
//@ launch  attentionCausal<<<dim3(n / 64, heads), 64>>>(
//@             q, k, v, out, n, causal)
//@ owner   out <<<dim3(n / 64 - 1 - i / 64 % n / 64, i / 64 / n),
//@                i / 64 % 64>>>
#include <cuda_fp16.h>
#include <float.h>

enum { DIM = 64, KEYS = 32, FEW = 8 };

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

__device__ float4 fourFloats(const half *from)
{
    uint2 four = *(const uint2 *)from;
    const half2 *two = (const half2 *)&four;
    return make_float4(__low2float(two[0]), __high2float(two[0]),
                       __low2float(two[1]), __high2float(two[1]));
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

extern "C" __global__ void __launch_bounds__(64)
    attentionCausal(const half *q, const half *k, const half *v,
                    half *out, int n, int causal)
{
    __shared__ float4 keys[KEYS][DIM / 4], values[KEYS][DIM / 4];
    // The last queries have most keys: their blocks start first.
    int block = gridDim.x - 1 - blockIdx.x;
    int row = block * 64 + threadIdx.x;
    long long head = (long long)blockIdx.y * n * DIM;
    q += head, k += head, v += head, out += head;
    float query[DIM], sum[DIM] = {}, most = -FLT_MAX, total = 0;
#pragma unroll
    for (int d = 0; d < DIM; d += 8)
        loadEight(&query[d], &q[row * DIM + d]);

    int last = causal ? (block + 1) * 64 : n;
    for (int first = 0; first < last; first += KEYS) {
        __syncthreads(); // all have read the last tile
        for (int i = threadIdx.x; i < KEYS * DIM / 4; i += 64) {
            keys[i / 16][i % 16] = fourFloats(&k[first * DIM + 4 * i]);
            values[i / 16][i % 16] =
                fourFloats(&v[first * DIM + 4 * i]);
        }
        __syncthreads();
        for (int few = 0; few < KEYS; few += FEW) {
            float score[FEW] = {}, now = most;
#pragma unroll
            for (int d = 0; d < DIM / 4; d++)
#pragma unroll
                for (int j = 0; j < FEW; j++) {
                    float4 key = keys[few + j][d];
                    score[j] += query[4 * d] * key.x +
                                query[4 * d + 1] * key.y +
                                query[4 * d + 2] * key.z +
                                query[4 * d + 3] * key.w;
                }
#pragma unroll
            for (int j = 0; j < FEW; j++) {
                bool later = causal && first + few + j > row;
                score[j] = later ? -FLT_MAX : score[j] / 8;
                now = fmaxf(now, score[j]);
            }
            float less = __expf(most - now);
            most = now;
            total *= less;
#pragma unroll
            for (int d = 0; d < DIM; d++)
                sum[d] *= less;
#pragma unroll
            for (int j = 0; j < FEW; j++) {
                float weight = __expf(score[j] - most);
                total += weight;
#pragma unroll
                for (int d = 0; d < DIM / 4; d++) {
                    float4 value = values[few + j][d];
                    sum[4 * d] += weight * value.x;
                    sum[4 * d + 1] += weight * value.y;
                    sum[4 * d + 2] += weight * value.z;
                    sum[4 * d + 3] += weight * value.w;
                }
            }
        }
    }
#pragma unroll
    for (int d = 0; d < DIM; d += 8)
        storeEight(&out[row * DIM + d], &sum[d], 1 / total);
}
