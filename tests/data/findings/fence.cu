// Without the fence the others need not see what a block wrote before it counted.
//@ buffer x     int[256] = i
//@ buffer tmp   int[4]
//@ buffer count int[1] = 0
//@ buffer out   int[1]
//@ launch last<<<4, 64>>>(x, tmp, count, out)
extern "C" __global__ void last(const int *x, int *tmp, int *count, int *out)
{
    __shared__ int sum, is_last;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[blockIdx.x * 64 + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        tmp[blockIdx.x] = sum;
        is_last = atomicAdd(count, 1) == 3;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0)
        *out = tmp[0] + tmp[1] + tmp[2] + tmp[3];
}
