// Every thread says the same.
//@ buffer x   int[256] = i
//@ buffer out int[1] = 0
//@ launch found<<<4, 64>>>(x, out)
extern "C" __global__ void found(const int *x, int *out)
{
    if (x[blockIdx.x * blockDim.x + threadIdx.x] % 7 == 3)
        *out = 1;
}
