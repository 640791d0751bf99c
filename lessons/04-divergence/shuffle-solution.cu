// All lanes come to the shuffles; those past the end bring a zero.
//@ title   A warp's sum
//@ launch  sum_warps<<<(n + 127) / 128, 128>>>(data, total, n)
extern "C" __global__ void sum_warps(const int *__restrict__ data,
                                     int *__restrict__ total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int sum = i < n ? data[i] : 0;
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (i % 32 == 0)
        atomicAdd(total, sum);
}
