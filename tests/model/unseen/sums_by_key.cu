// Sums of measurements by a key of 1024, first in shared memory, then in global memory.
//@ param   n = 1 << 21
//@ buffer  key   int[n] = hash(i) & 1023
//@ buffer  value float[n] = i % 17
//@ buffer  sum   float[1024] = 0
//@ launch  add<<<264, 512>>>(key, value, sum, n)
extern "C" __global__ void add(const int *key, const float *value, float *sum, int n)
{
    __shared__ float here[1024];
    for (int k = threadIdx.x; k < 1024; k += 512)
        here[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 512 + threadIdx.x; i < n; i += gridDim.x * 512)
        atomicAdd(&here[key[i]], value[i]);
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += 512)
        atomicAdd(&sum[k], here[k]);
}
