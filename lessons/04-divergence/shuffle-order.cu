// Each warp adds up its numbers: put the lines that do it in order.
//@ title   Lines in order
//@ launch  sum_warps<<<(n + 127) / 128, 128>>>(data, total, n)
extern "C" __global__ void sum_warps(const int *__restrict__ data,
                                     int *__restrict__ total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    //@order
}
