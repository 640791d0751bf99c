// The numbers after the last whole four are left out.
//@ title   A sum from an empty file
//@ launch  sum<<<(n + 16383) / 16384, 256>>>(data, total, n)
extern "C" __global__ void sum(const int *__restrict__ data,
                               int *__restrict__ total, int n)
{
    __shared__ int warp_sum[8];
    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x + tid;
    int stride = gridDim.x * blockDim.x;
    const int4 *fours = (const int4 *)data;

    int sum = 0;
#pragma unroll 4
    for (int i = idx; i < n / 4; i += stride) {
        int4 four = fours[i];
        sum += four.x + four.y + four.z + four.w;
    }

    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (tid % 32 == 0)
        warp_sum[tid / 32] = sum;
    __syncthreads();
    if (tid < 8) {
        sum = warp_sum[tid];
        for (int half = 4; half > 0; half /= 2)
            sum += __shfl_down_sync(0xff, sum, half);
        if (tid == 0)
            atomicAdd(total, sum);
    }
}
