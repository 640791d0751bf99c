// A histogram of bytes, seven of eight of which are small; a block
// counts in shared memory.
//@ param   n = 1 << 21
//@ buffer  data uchar4[n] = (
//@             (hash(i) & 7) ? hash(i) >> 8 & 3 : hash(i) >> 24)
//@ buffer  bins unsigned[256] = 0
//@ launch  count<<<512, 256>>>(data, bins, n)
extern "C" __global__ void count(const uchar4 *data, unsigned *bins,
                                 int n)
{
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        uchar4 four = data[i];
        atomicAdd(&mine[four.x], 1);
        atomicAdd(&mine[four.y ^ 1], 1);
        atomicAdd(&mine[four.z ^ 2], 1);
        atomicAdd(&mine[four.w ^ 3], 1);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
