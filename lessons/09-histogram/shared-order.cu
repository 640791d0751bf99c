// A block counts into bins of its own and adds them to the global ones.
//@ title   Bins in shared memory
//@ launch  histogram_shared<<<(n + 255) / 256, 256>>>(data, bins, n)
extern "C" __global__ void histogram_shared(const unsigned char *data,
                                            unsigned *bins, int n)
{
    __shared__ unsigned own[256]; // as many as the block has threads
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    //@order
}
