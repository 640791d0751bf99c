// Every lane has a column of bins to itself: bin b is word b * 32 +
// lane, always in the bank with the lane's number. So no two lanes of a
// warp ever meet at a bank, whatever the bytes are.
//@ title   Lane columns: a lane is a bank
//@ why     Counting takes one pass per instruction for any data, and
//@ why     only the memory is left as the limit.
//@ launch  histogram_lane_columns<<<sm_count * 2, 1024>>>(
//@             data, bins, n)
__device__ void count_four(unsigned *column, unsigned word)
{
    atomicAdd(&column[(word & 255) * 32], 1);
    atomicAdd(&column[(word >> 8 & 255) * 32], 1);
    atomicAdd(&column[(word >> 16 & 255) * 32], 1);
    atomicAdd(&column[(word >> 24) * 32], 1);
}

extern "C" __global__ void
histogram_lane_columns(const unsigned char *__restrict__ data,
                       unsigned *__restrict__ bins, int n)
{
    __shared__ unsigned columns[256 * 32];
    for (int word = threadIdx.x; word < 256 * 32; word += blockDim.x)
        columns[word] = 0;
    __syncthreads();

    const uint4 *quads = (const uint4 *)data;
    unsigned *my_column = &columns[threadIdx.x % 32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = i; k < n / 16; k += gridDim.x * blockDim.x) {
        uint4 quad = quads[k];
        count_four(my_column, quad.x);
        count_four(my_column, quad.y);
        count_four(my_column, quad.z);
        count_four(my_column, quad.w);
    }
    if (i < n % 16) // the bytes after the last whole quad
        atomicAdd(&my_column[data[n / 16 * 16 + i] * 32], 1);

    // Each of 256 threads adds up one bin. It starts at the column of
    // its own lane, so that here, too, every lane of a warp reads from
    // a bank of its own.
    __syncthreads();
    if (threadIdx.x < 256) {
        unsigned sum = 0;
        for (int lane = 0; lane < 32; lane++)
            sum +=
                columns[threadIdx.x * 32 + (threadIdx.x + lane) % 32];
        atomicAdd(&bins[threadIdx.x], sum);
    }
}
