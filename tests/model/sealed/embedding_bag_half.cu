// The mean of the embeddings of the words of each document, 20 to 60 of
// 100000: a warp has a document, a lane four of 128 halves.
//@ param   documents = 8000
//@ param   words = 100000
//@ buffer  table half2[words * 64] = hash(i) % 512 * 0.01
//@ buffer  start int[documents + 1] = i * 40 + hash(i) % 20
//@ buffer  ids   int[documents * 40 + 64] = hash(i) % words
//@ buffer  mean  float4[documents * 32]
//@ launch  bagMean<<<(documents + 3) / 4, 128>>>(table, start, ids, mean,
//@                                              documents)
#include <cuda_fp16.h>

__global__ void bagMean(const half2 *table, const int *start,
                        const int *ids, float4 *mean, int documents)
{
    int document = blockIdx.x * 4 + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (document >= documents)
        return;

    int begin = start[document], end = start[document + 1];
    float4 sum = make_float4(0, 0, 0, 0);
    for (int k = begin; k < end; k++) {
        const uint2 *row = (const uint2 *)(table + (size_t)ids[k] * 64);
        uint2 four = row[lane];
        float2 a = __half22float2(*(half2 *)&four.x);
        float2 b = __half22float2(*(half2 *)&four.y);
        sum.x += a.x;
        sum.y += a.y;
        sum.z += b.x;
        sum.w += b.y;
    }
    float each = 1.0f / max(end - begin, 1);
    mean[document * 32 + lane] =
        make_float4(sum.x * each, sum.y * each, sum.z * each,
                    sum.w * each);
}
