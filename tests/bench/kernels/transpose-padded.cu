// A transpose by padded tiles of 32 x 32 in blocks of 32 x 8.
//@ param n = 1024
//@ buffer in float[n * n] = i
//@ buffer out float[n * n]
//@ launch transpose<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in, out, n)
extern "C" __global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}
