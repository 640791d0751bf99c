// Each number of the answer is written, read again, and written again.
//@ title   Scan, then add
//@ scratch sums int[(n + 255) / 256]
//@ launch  scanBlocks<<<(n + 255) / 256, 256>>>(in, out, sums, n)
//@ launch  addSums<<<(n + 255) / 256, 256>>>(out, sums, n)
extern "C" __global__ void scanBlocks(const int *__restrict__ in,
                                      int *__restrict__ out,
                                      int *__restrict__ sums, int n)
{
    __shared__ int warpSum[8];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int i = blockIdx.x * blockDim.x + tid;
    // TODO: a block that knew the sum of all before it could write the
    // answer at once. Let a first kernel only add up, and a second one
    // scan.

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
        out[i] = sum;
    if (tid == 255)
        sums[blockIdx.x] = sum;
}

// Each block adds what the blocks before it hold; its first warp adds
// that up.
extern "C" __global__ void addSums(int *__restrict__ out,
                                   const int *__restrict__ sums, int n)
{
    __shared__ int before;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 32) {
        int sum = 0;
        for (int b = threadIdx.x; b < blockIdx.x; b += 32)
            sum += sums[b];
        for (int half = 16; half > 0; half /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, half);
        if (threadIdx.x == 0)
            before = sum;
    }
    __syncthreads();
    if (i < n)
        out[i] += before;
}
