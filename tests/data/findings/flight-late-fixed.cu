// The barrier comes after the wait. Only half of the threads copy, and all wait.
//@ buffer in  int[64] = i
//@ buffer out int[64]
//@ launch copy<<<1, 64>>>(in, out)
extern "C" __global__ void copy(const int *in, int *out)
{
    __shared__ __align__(8) int s[64];
    int t = threadIdx.x;
    unsigned to;
    asm("{ .reg .u64 at; cvta.to.shared.u64 at, %1; cvt.u32.u64 %0, at; }" : "=r"(to) : "l"(s + t));
    if (t % 2 == 0)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(in + t) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[t] = s[63 - t];
}
