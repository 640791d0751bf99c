// Running sums of a whole array: within blocks, over the sums of the
// blocks, and both together.
//@ param   n = 1 << 20
//@ buffer  data   int[n] = i & 7
//@ buffer  blocks int[n / 1024]
//@ launch  scan_blocks<<<n / 1024, 1024>>>(data, blocks)
//@ launch  scan_blocks<<<1, 1024>>>(blocks, blocks)
//@ launch  add_before<<<n / 1024, 1024>>>(data, blocks)
extern "C" __global__ void scan_blocks(int *data, int *totals)
{
    __shared__ int s[1024];
    int t = threadIdx.x, i = blockIdx.x * 1024 + t;
    s[t] = data[i];
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        int left = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += left;
        __syncthreads();
    }
    data[i] = s[t];
    if (t == 1023 && data != totals)
        totals[blockIdx.x] = s[t];
}

extern "C" __global__ void add_before(int *data, const int *totals)
{
    if (blockIdx.x > 0)
        data[blockIdx.x * 1024 + threadIdx.x] += totals[blockIdx.x - 1];
}
