// Five points of a square, by tiles with a rim in shared memory, in blocks of 16 x 16.
//@ param n = 514
//@ buffer in float[n * n] = hash(i) & 15
//@ buffer out float[n * n] = 0
//@ launch stencil<<<dim3((n - 2) / 16, (n - 2) / 16), dim3(16, 16)>>>(in, out, n)
extern "C" __global__ void stencil(const float *in, float *out, int n)
{
    __shared__ float s[18][18];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    s[ty][tx] = in[y * n + x];
    if (tx == 1)
        s[ty][0] = in[y * n + x - 1];
    if (tx == 16)
        s[ty][17] = in[y * n + x + 1];
    if (ty == 1)
        s[0][tx] = in[(y - 1) * n + x];
    if (ty == 16)
        s[17][tx] = in[(y + 1) * n + x];
    __syncthreads();
    out[y * n + x] = 0.2f * (s[ty][tx] + s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx]);
}
