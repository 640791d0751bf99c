// Sums segments of 17 to 79 numbers, a warp to each.
//@ param   segments = 1 << 16
//@ buffer  start  int[segments + 1] = 48 * i + (hash(i) & 31)
//@ buffer  values float[48 * segments + 32] = i % 10
//@ buffer  sums   float[segments]
//@ launch  sum_segments<<<segments / 4, 128>>>(start, values, sums)
extern "C" __global__ void
sum_segments(const int *start, const float *values, float *sums)
{
    int segment = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int end = start[segment + 1];
    float sum = 0;
    for (int i = start[segment] + lane; i < end; i += 32)
        sum += values[i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0)
        sums[segment] = sum;
}
