// The index wraps around inside its array.
//@ buffer out int[64]
//@ launch smooth<<<1, 64>>>(out)
extern "C" __global__ void smooth(int *out)
{
    __shared__ int a[64];
    __shared__ int b[64];
    int t = threadIdx.x;
    a[t] = t;
    b[t] = -t;
    __syncthreads();
    out[t] = a[(t + 1) % 64] + b[t];
}
