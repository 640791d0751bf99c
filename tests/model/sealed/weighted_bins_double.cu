// Adds weights in double precision to 500 bins: first in shared memory,
// a third of them to the same eight, then in global memory.
//@ param   n = 1200000
//@ buffer  key    unsigned short[n] = (hash(i) % 100 < 33 ? hash(i) % 8
//@                                     : hash(i + 1) % 500)
//@ buffer  weight double[n] = 0.25 + hash(i) % 16
//@ buffer  bins   double[500] = 0
//@ launch  addWeights<<<sm_count, 512>>>(key, weight, bins, n)
#define BINS 500

__global__ void addWeights(const unsigned short *key,
                           const double *weight, double *bins, int n)
{
    __shared__ double mine[BINS];

    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        mine[b] = 0.0;
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += stride)
        atomicAdd(&mine[key[i]], weight[i]);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&bins[b], mine[b]);
}
