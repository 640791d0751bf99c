// The first pass of a radix sort: how often each of 256 digits occurs in each block, written by digit.
//@ param   n = 1 << 22
//@ buffer  key   unsigned[n] = hash(i)
//@ buffer  count unsigned[n / 16]
//@ launch  digits<<<n / 4096, 256>>>(key, count)
extern "C" __global__ void digits(const unsigned *key, unsigned *count)
{
    __shared__ unsigned here[256];
    here[threadIdx.x] = 0;
    __syncthreads();
    const uint4 *from = (const uint4 *)(key + blockIdx.x * 4096);
    for (int k = 0; k < 4; k++) {
        uint4 v = from[k * 256 + threadIdx.x];
        atomicAdd(&here[v.x >> 8 & 255], 1);
        atomicAdd(&here[v.y >> 8 & 255], 1);
        atomicAdd(&here[v.z >> 8 & 255], 1);
        atomicAdd(&here[v.w >> 8 & 255], 1);
    }
    __syncthreads();
    count[threadIdx.x * gridDim.x + blockIdx.x] = here[threadIdx.x];
}
