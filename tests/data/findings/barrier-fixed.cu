// The twin in which all reach it.
//@ buffer out int[64]
//@ launch half<<<1, 64>>>(out)
extern "C" __global__ void half(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    out[t] = s[t];
}
