// The barrier counts all four warps that read the word.
//@ buffer out int[128]
//@ launch ring<<<1, 128>>>(out)
extern "C" __global__ void ring(int *out)
{
    __shared__ int word;
    int t = threadIdx.x, warp = t / 32, sum = 0;
    for (int round = 0; round < 4; round++) {
        if (t == 0)
            word = round;
        __syncthreads();
        sum += word;
        if (warp < 4)
            asm volatile("bar.sync 1, 128;" ::: "memory");
    }
    out[t] = sum;
}
