// Turns a matrix through a tile.
//@ param   n = 256
//@ buffer  in float[n * n] = i
//@ buffer  out float[n * n] = 0
//@ launch  turn<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(in, out, n)
#define TILE 16 // of both sides
extern "C" __global__ void turn(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
