// Rotary position embedding of queries and keys in half precision: a
// thread turns one pair of each by an angle that it computes.
//@ param   tokens = 2000
//@ param   heads = 20
//@ buffer  q half2[tokens * heads * 64] = (hash(i) % 201) * 0.01 - 1
//@ buffer  k half2[tokens * heads * 64] = (hash(i + 9) % 201) * 0.01 - 1
//@ launch  rope<<<dim3(tokens, heads / 4), dim3(64, 4)>>>(q, k, heads,
//@                                                       700)
#include <cuda_fp16.h>

__device__ half2 turn(half2 v, float s, float c)
{
    float2 f = __half22float2(v);
    return __floats2half2_rn(f.x * c - f.y * s, f.x * s + f.y * c);
}

__global__ void rope(half2 *q, half2 *k, int heads, int first)
{
    int pair = threadIdx.x;
    int head = blockIdx.y * blockDim.y + threadIdx.y;
    int token = blockIdx.x;

    float frequency = exp2f(-pair * (13.2877124f / 64));
    float s, c;
    sincosf((first + token) * frequency, &s, &c);

    size_t at = ((size_t)token * heads + head) * 64 + pair;
    q[at] = turn(q[at], s, c);
    k[at] = turn(k[at], s, c);
}
