// A lane that has nobody d places before it adds nothing.
//@ title   Shuffles in a warp
//@ scratch sums int[(n + 31) / 32]
//@ launch  scanBlocks<<<(n + 31) / 32, 32>>>(in, out, sums, n)
//@ launch  addSums<<<(n + 31) / 32, 32>>>(out, sums, n)
extern "C" __global__ void scanBlocks(const int *__restrict__ in,
                                      int *__restrict__ out,
                                      int *__restrict__ sums, int n)
{
    int lane = threadIdx.x;
    int i = blockIdx.x * 32 + lane;

    int sum = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(0xffffffff, sum, d);
        if (lane >= d)
            sum += left;
    }

    if (i < n)
        out[i] = sum;
    if (lane == 31)
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
