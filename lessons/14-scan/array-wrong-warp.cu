// In one array: only the lanes of a warp wait.
//@ title   One array
//@ scratch sums int[(n + 255) / 256]
//@ launch  scanBlocks<<<(n + 255) / 256, 256>>>(in, out, sums, n)
//@ launch  addSums<<<(n + 255) / 256, 256>>>(out, sums, n)
extern "C" __global__ void scanBlocks(const int *__restrict__ in,
                                      int *__restrict__ out,
                                      int *__restrict__ sums, int n)
{
    __shared__ int buffer[256];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;

    buffer[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        int left = tid >= d ? buffer[tid - d] : 0;
        __syncwarp();
        buffer[tid] += left;
        __syncthreads();
    }

    if (i < n)
        out[i] = buffer[tid];
    if (tid == 255)
        sums[blockIdx.x] = buffer[tid];
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
