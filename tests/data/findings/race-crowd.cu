// Four warps read a word, the barrier that frees it counts three of them, and the writer goes on too early.
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
        if (warp < 3)
            asm volatile("bar.sync 1, 96;" ::: "memory");
    }
    out[t] = sum;
}
