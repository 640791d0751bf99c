// The largest number so far is compared and then stored, by the threads of several blocks.
//@ buffer x int[256] = 1000 - i
//@ buffer largest int[1] = 0
//@ launch find<<<4, 64>>>(x, largest)
extern "C" __global__ void find(const int *x, int *largest)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (x[i] > *largest)
        *largest = x[i];
}
