// Opening of a grey image, as it removes small bright specks: the minimum over 5 x 5
// pixels, then the maximum over 5 x 5 of those. Both are done along rows and then along
// columns, in shared memory, by a block for 32 x 16 pixels with a margin of 4.
//@ param   width = 1600
//@ param   height = 944
//@ buffer  image unsigned char[width * height] = hash(i) % 251
//@ buffer  opened unsigned char[width * height]
//@ launch  opening<<<dim3(width / 32, height / 16), dim3(32, 8)>>>(
//@             image, opened, width, height)
const int columns = 32, rows = 16;

__global__ void opening(const unsigned char *image, unsigned char *opened, int width,
                        int height)
{
    __shared__ unsigned char tile[rows + 8][columns + 8];
    __shared__ unsigned char along[rows + 8][columns + 4];
    __shared__ unsigned char low[rows + 4][columns + 4];
    __shared__ unsigned char high[rows + 4][columns];

    int left = blockIdx.x * columns, top = blockIdx.y * rows;

    for (int y = threadIdx.y; y < rows + 8; y += blockDim.y)
        for (int x = threadIdx.x; x < columns + 8; x += blockDim.x) {
            int column = min(max(left + x - 4, 0), width - 1);
            int row = min(max(top + y - 4, 0), height - 1);
            tile[y][x] = image[row * width + column];
        }
    __syncthreads();

    for (int y = threadIdx.y; y < rows + 8; y += blockDim.y)
        for (int x = threadIdx.x; x < columns + 4; x += blockDim.x) {
            int least = tile[y][x];
            for (int k = 1; k < 5; k++)
                least = min(least, (int)tile[y][x + k]);
            along[y][x] = least;
        }
    __syncthreads();

    for (int y = threadIdx.y; y < rows + 4; y += blockDim.y)
        for (int x = threadIdx.x; x < columns + 4; x += blockDim.x) {
            int least = along[y][x];
            for (int k = 1; k < 5; k++)
                least = min(least, (int)along[y + k][x]);
            low[y][x] = least;
        }
    __syncthreads();

    for (int y = threadIdx.y; y < rows + 4; y += blockDim.y) {
        int x = threadIdx.x;
        int most = low[y][x];
        for (int k = 1; k < 5; k++)
            most = max(most, (int)low[y][x + k]);
        high[y][x] = most;
    }
    __syncthreads();

    for (int y = threadIdx.y; y < rows; y += blockDim.y) {
        int x = threadIdx.x;
        int most = high[y][x];
        for (int k = 1; k < 5; k++)
            most = max(most, (int)high[y + k][x]);
        opened[(top + y) * width + left + x] = most;
    }
}
