// Running sums within each block, by shuffles within its warps.
//@ param   n = 1 << 22
//@ buffer  in  int[n] = hash(i) & 15
//@ buffer  out int[n]
//@ launch  scan<<<n / 256, 256>>>(in, out)
extern "C" __global__ void scan(const int *in, int *out)
{
    __shared__ int warp_sums[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    int sum = in[i];
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(0xffffffffu, sum, d);
        if (lane >= d)
            sum += left;
    }
    if (lane == 31)
        warp_sums[warp] = sum;
    __syncthreads();

    for (int w = 0; w < warp; w++)
        sum += warp_sums[w];
    out[i] = sum;
}
