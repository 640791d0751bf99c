// The sums come first, so each number of the answer is written once.
//@ title   Sums first
//@ scratch sums int[(n + 255) / 256]
//@ launch  sumBlocks<<<(n + 255) / 256, 256>>>(in, sums, n)
//@ launch  scanBlocks<<<(n + 255) / 256, 256>>>(in, out, sums, n)
extern "C" __global__ void sumBlocks(const int *__restrict__ in,
                                     int *__restrict__ sums, int n)
{
    __shared__ int warpSum[8];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    int sum = i < n ? in[i] : 0;
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (tid % 32 == 0)
        warpSum[tid / 32] = sum;
    __syncthreads();
    if (tid == 0) {
        for (int w = 1; w < 8; w++)
            sum += warpSum[w];
        sums[blockIdx.x] = sum;
    }
}

extern "C" __global__ void scanBlocks(const int *__restrict__ in,
                                      int *__restrict__ out,
                                      const int *__restrict__ sums,
                                      int n)
{
    __shared__ int warpSum[8], before;
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int i = blockIdx.x * blockDim.x + tid;

    if (warp == 0) {
        int all = 0;
        for (int b = lane; b < blockIdx.x; b += 32)
            all += sums[b];
        for (int half = 16; half > 0; half /= 2)
            all += __shfl_down_sync(0xffffffff, all, half);
        if (lane == 0)
            before = all;
    }
    int sum = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(0xffffffff, sum, d);
        if (lane >= d)
            sum += left;
    }
    if (lane == 31)
        warpSum[warp] = sum;
    __syncthreads();
    for (int w = 0; w < warp; w++)
        sum += warpSum[w];
    if (i < n)
        out[i] = before + sum;
}
