// A block reads what its neighbour writes in the same launch.
//@ buffer x   int[256] = i
//@ buffer tmp int[256]
//@ buffer out int[256]
//@ launch stencil<<<4, 64>>>(x, tmp, out)
extern "C" __global__ void stencil(const int *x, int *tmp, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tmp[i] = 2 * x[i];
    __syncthreads();
    out[i] = i ? tmp[i - 1] : 0;
}
