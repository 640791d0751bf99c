// Each row of 512 is brought to mean 0 and variance 1, a warp a row.
//@ param   rows = 8192
//@ buffer  x float[rows * 512] = i % 23
//@ launch  normalise<<<rows / 8, 256>>>(x)
extern "C" __global__ void normalise(float *x)
{
    int lane = threadIdx.x % 32;
    float4 *row = (float4 *)(x + (blockIdx.x * 8 + threadIdx.x / 32) * 512);
    float4 v[4];
    float sum = 0, squares = 0;
    for (int k = 0; k < 4; k++) {
        v[k] = row[lane + 32 * k];
        sum += v[k].x + v[k].y + v[k].z + v[k].w;
        squares += v[k].x * v[k].x + v[k].y * v[k].y + v[k].z * v[k].z + v[k].w * v[k].w;
    }
    for (int d = 16; d; d /= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
        squares += __shfl_xor_sync(~0u, squares, d);
    }
    float mean = sum / 512, scale = rsqrtf(squares / 512 - mean * mean + 1e-5f);
    for (int k = 0; k < 4; k++)
        row[lane + 32 * k] = make_float4((v[k].x - mean) * scale, (v[k].y - mean) * scale, (v[k].z - mean) * scale,
                                         (v[k].w - mean) * scale);
}
