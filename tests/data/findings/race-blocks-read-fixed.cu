// The twin that writes elsewhere.
//@ buffer x   int[128] = i
//@ buffer out int[128]
//@ launch pull<<<2, 64>>>(x, out)
extern "C" __global__ void pull(const int *x, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int next = i < 127 ? x[i + 1] : 0;
    __syncthreads();
    out[i] = next;
}
