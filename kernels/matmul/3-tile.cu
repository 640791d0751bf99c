// A block loads tiles of 32 x 32 of A and of B to shared memory, and
// every number of them serves 32 threads.
//@ title   Tiles in shared memory
//@ why     A 32nd of the global loads. But each multiplication still
//@ why     needs two loads, now from shared memory.
//@ launch  matmulTile<<<dim3((n + 31) / 32, (n + 31) / 32),
//@                      dim3(32, 32)>>>(a, b, c, n)
//@ owner   c <<<dim3(i % n / 32, i / n / 32),
//@              dim3(i % n % 32, i / n % 32)>>>
extern "C" __global__ void matmulTile(const float *__restrict__ a,
                                      const float *__restrict__ b,
                                      float *__restrict__ c, int n)
{
    __shared__ float tileA[32][32], tileB[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * 32 + x;
    int row = blockIdx.y * 32 + y;

    float sum = 0;
    for (int first = 0; first < n; first += 32) {
        // Past the edges there are zeros, which change no sum.
        tileA[y][x] =
            row < n && first + x < n ? a[row * n + first + x] : 0;
        tileB[y][x] =
            first + y < n && col < n ? b[(first + y) * n + col] : 0;
        __syncthreads();
        for (int k = 0; k < 32; k++)
            sum += tileA[y][k] * tileB[k][x];
        __syncthreads(); // before anybody loads the next tiles
    }
    if (row < n && col < n)
        c[row * n + col] = sum;
}
