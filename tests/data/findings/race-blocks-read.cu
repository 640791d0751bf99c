// The other way round: block 0 has read x[64] before block 1 writes it, and that order is luck.
//@ buffer x   int[128] = i
//@ launch pull<<<2, 64>>>(x)
extern "C" __global__ void pull(int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int next = i < 127 ? x[i + 1] : 0;
    __syncthreads();
    x[i] = next;
}
