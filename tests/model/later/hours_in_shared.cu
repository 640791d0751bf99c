// Counts events by the hour: each block in 24 words of shared memory, then all blocks in 24 of global memory.
//@ param   n = 1 << 22
//@ buffer  seconds unsigned[n] = hash(i)
//@ buffer  hours   int[24] = 0
//@ launch  count<<<n / 4096, 256>>>(seconds, hours)
extern "C" __global__ void count(const unsigned *seconds, int *hours)
{
    __shared__ int here[24];
    if (threadIdx.x < 24)
        here[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 16; k++)
        atomicAdd(&here[seconds[blockIdx.x * 4096 + k * 256 + threadIdx.x] / 3600 % 24], 1);
    __syncthreads();
    if (threadIdx.x < 24)
        atomicAdd(&hours[threadIdx.x], here[threadIdx.x]);
}
