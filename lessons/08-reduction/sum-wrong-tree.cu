// Step 2 of the ladder: a number a thread.
//@ title   A sum from an empty file
//@ launch  sum<<<(n + 255) / 256, 256>>>(data, total, n)
extern "C" __global__ void sum(const int *__restrict__ data,
                               int *__restrict__ total, int n)
{
    __shared__ int smem[256];
    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x + tid;
    smem[tid] = idx < n ? data[idx] : 0;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (tid < half)
            smem[tid] += smem[tid + half];
        __syncthreads();
    }
    if (tid == 0)
        atomicAdd(total, smem[0]);
}
