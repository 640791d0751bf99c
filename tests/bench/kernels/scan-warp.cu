// Running sums of 256 elements by shuffles, and one of the warps' sums.
//@ param n = 1 << 18
//@ buffer in int[n] = i & 7
//@ buffer out int[n]
//@ launch scan<<<n / 256, 256>>>(in, out)
extern "C" __global__ void scan(const int *in, int *out)
{
    __shared__ int sums[8];
    int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32, v = in[i];
    for (int by = 1; by < 32; by *= 2) {
        int other = __shfl_up_sync(0xffffffff, v, by);
        v += lane >= by ? other : 0;
    }
    if (lane == 31)
        sums[warp] = v;
    __syncthreads();
    if (warp == 0 && lane < 8) {
        int s = sums[lane];
        for (int by = 1; by < 8; by *= 2) {
            int other = __shfl_up_sync(0xff, s, by);
            s += lane >= by ? other : 0;
        }
        sums[lane] = s;
    }
    __syncthreads();
    out[i] = v + (warp ? sums[warp - 1] : 0);
}
