// The barrier comes before the wait, so that the other warp may read before the copies have arrived.
//@ buffer in  int[32] = i
//@ buffer out int[64]
//@ launch copy<<<1, 64>>>(in, out)
extern "C" __global__ void copy(const int *in, int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    unsigned to;
    asm("{ .reg .u64 at; cvta.to.shared.u64 at, %1; cvt.u32.u64 %0, at; }" : "=r"(to) : "l"(s + t % 32));
    if (t >= 32)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + t - 32) : "memory");
    __syncthreads();
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[t] = s[t % 32];
}
