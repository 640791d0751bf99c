// The twin in which one thread frees it.
//@ buffer out int[32]
//@ launch share<<<1, 32>>>(out)
extern "C" __global__ void share(int *out)
{
    __shared__ int *all;
    if (threadIdx.x == 0)
        all = (int *)malloc(32 * sizeof(int));
    __syncthreads();
    all[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = all[31 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        free(all);
}
