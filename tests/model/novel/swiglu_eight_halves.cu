// The gated unit of a transformer: out = silu(gate) * up in half
// precision, gate and up side by side in each row, 16 bytes a thread.
//@ param   tokens = 1200
//@ param   width = 11008
//@ buffer  x   half2[tokens * width] = hash(i) % 400 * 0.02 - 4
//@ buffer  out half2[tokens * width / 2]
//@ launch  swiglu<<<dim3((width / 8 + 255) / 256, tokens), 256>>>(x, out,
//@                                                 width)
#include <cuda_fp16.h>

union Pack {
    uint4 raw;
    half2 h[4];
};

__global__ void swiglu(const half2 *x, half2 *out, int width)
{
    int chunk = blockIdx.x * blockDim.x + threadIdx.x;
    int chunks = width / 8;
    if (chunk >= chunks)
        return;

    const uint4 *row = (const uint4 *)(x + (size_t)blockIdx.y * width);
    Pack gate, up, result;
    gate.raw = row[chunk];
    up.raw = row[chunks + chunk];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float2 g = __half22float2(gate.h[k]);
        float2 u = __half22float2(up.h[k]);
        g.x = g.x / (1.0f + __expf(-g.x)) * u.x;
        g.y = g.y / (1.0f + __expf(-g.y)) * u.y;
        result.h[k] = __float22half2_rn(g);
    }
    ((uint4 *)out)[(size_t)blockIdx.y * chunks + chunk] = result.raw;
}
