// A transpose by tiles of 16 x 16 in shared memory, with bank conflicts.
//@ param n = 768
//@ buffer in float[n * n] = i
//@ buffer out float[n * n]
//@ launch transpose<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(in, out, n)
extern "C" __global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
