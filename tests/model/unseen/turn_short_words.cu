// Transposes a matrix of 16-bit numbers, tiles of 32 x 32 in shared memory.
//@ param   n = 3072
//@ buffer  in  short[n * n] = i & 32767
//@ buffer  out short[n * n]
//@ launch  turn<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in, out, n)
extern "C" __global__ void turn(const short *in, short *out, int n)
{
    __shared__ short tile[32][34];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 32, row = blockIdx.y * 32;
    for (int r = y; r < 32; r += 8)
        tile[r][x] = in[(row + r) * n + column + x];
    __syncthreads();
    for (int r = y; r < 32; r += 8)
        out[(column + r) * n + row + x] = tile[x][r];
}
