// Quantises a matrix to 8 bits: a warp finds the largest magnitude of its row of 1024 and then scales the row by it.
//@ param   rows = 16384
//@ buffer  x     float4[rows * 256] = (hash(i) % 4001 - 2000) * 0.01
//@ buffer  q     unsigned[rows * 256]
//@ buffer  scale float[rows]
//@ launch  quantise<<<rows / 4, 128>>>(x, q, scale)
__device__ int to8(float v)
{
    return __float2int_rn(v) & 255;
}

__global__ void quantise(const float4 *x, unsigned *q, float *scale)
{
    const int lane = threadIdx.x & 31;
    const int row = blockIdx.x * 4 + (threadIdx.x >> 5);
    const float4 *mine = x + row * 256;
    float4 v[8];
    float most = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        v[k] = mine[k * 32 + lane];
        most = fmaxf(most, fmaxf(fmaxf(fabsf(v[k].x), fabsf(v[k].y)), fmaxf(fabsf(v[k].z), fabsf(v[k].w))));
    }
    for (int d = 16; d > 0; d >>= 1)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
    const float factor = most > 0.0f ? 127.0f / most : 0.0f;
#pragma unroll
    for (int k = 0; k < 8; k++)
        q[row * 256 + k * 32 + lane] = to8(v[k].x * factor) | to8(v[k].y * factor) << 8 | to8(v[k].z * factor) << 16 |
                                       to8(v[k].w * factor) << 24;
    if (lane == 0)
        scale[row] = most / 127.0f;
}
