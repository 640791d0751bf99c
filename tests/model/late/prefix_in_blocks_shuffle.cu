// Running sums of 512 a block: by shuffles in each warp, then over the
// warps.
//@ param   n = 8388608
//@ buffer  in  int[n] = i % 9
//@ buffer  out int[n]
//@ launch  scan<<<n / 512, 512>>>(in, out)
extern "C" __global__ void scan(const int *in, int *out)
{
    __shared__ int sums[16];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int i = blockIdx.x * 512 + t, x = in[i];
    for (int step = 1; step < 32; step *= 2) {
        int below = __shfl_up_sync(0xffffffff, x, step);
        x += lane >= step ? below : 0;
    }
    if (lane == 31)
        sums[warp] = x;
    __syncthreads();
    int before = 0;
    for (int w = 0; w < warp; w++)
        before += sums[w];
    out[i] = x + before;
}
