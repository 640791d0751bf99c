// Transposes a matrix of bytes, 64 x 64 of them at a time.
//@ param   n = 4096
//@ buffer  in  unsigned char[n * n] = hash(i) & 255
//@ buffer  out unsigned char[n * n]
//@ launch  turn<<<dim3(n / 64, n / 64), dim3(64, 8)>>>(in, out, n)
extern "C" __global__ void turn(const unsigned char *in, unsigned char *out, int n)
{
    __shared__ unsigned char tile[64][68];
    int x = threadIdx.x, y = threadIdx.y;
    for (int r = y; r < 64; r += 8)
        tile[r][x] = in[(blockIdx.y * 64 + r) * n + blockIdx.x * 64 + x];
    __syncthreads();
    for (int r = y; r < 64; r += 8)
        out[(blockIdx.x * 64 + r) * n + blockIdx.y * 64 + x] = tile[x][r];
}
