// Each warp adds up its 32 numbers by shuffles, or those that exist.
//@ title   A warp's sum
//@ launch  sum_warps<<<(n + 127) / 128, 128>>>(data, total, n)
extern "C" __global__ void sum_warps(const int *__restrict__ data,
                                     int *__restrict__ total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        int sum = data[i];
        for (int half = 16; half > 0; half /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, half);
        if (i % 32 == 0)
            atomicAdd(total, sum);
    }
}
