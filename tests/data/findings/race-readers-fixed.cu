// The barrier is there.
//@ buffer out int[128]
//@ launch around<<<1, 128>>>(out)
extern "C" __global__ void around(int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    int a = s[(t + 32) & 127];
    int b = s[(t + 64) & 127];
    int c = s[(t + 96) & 127];
    __syncthreads();
    out[t] = a + b + c;
}
