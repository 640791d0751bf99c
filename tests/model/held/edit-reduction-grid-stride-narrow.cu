// reduction/grid-stride with loads of 4 bytes, twice as many threads a
// block and half as many numbers a block.
//@ param   n = 1 << 24
//@ buffer  data  int[n] = i & 15
//@ buffer  total int[1] = 0
//@ launch  reduce_grid_stride<<<(n + 8191) / 8192, 512>>>(
//@             data, total, n)
extern "C" __global__ void
reduce_grid_stride(const int *__restrict__ data,
                   int *__restrict__ total, int n)
{
    __shared__ int warp_sum[16];
    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;

    int sum = 0;
#pragma unroll 2
    for (int i = idx; i < n; i += stride)
        sum += data[i];

    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (tid % 32 == 0)
        warp_sum[tid / 32] = sum;
    __syncthreads();

    if (tid < 16) {
        sum = warp_sum[tid];
        for (int half = 8; half > 0; half /= 2)
            sum += __shfl_down_sync(0xffff, sum, half);
        if (tid == 0)
            atomicAdd(total, sum);
    }
}
