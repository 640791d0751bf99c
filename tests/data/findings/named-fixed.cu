// Warps 0 and 1 meet at a barrier of their own.
//@ buffer out int[128]
//@ launch named<<<1, 128>>>(out)
extern "C" __global__ void named(int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t;
    asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory");
    out[t] = s[t ^ 32];
}
