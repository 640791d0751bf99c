// A group that was committed is not waited for yet: the thread reads what may still be on its way.
//@ buffer in  int[64] = i
//@ buffer out int[64]
//@ launch copy<<<1, 64>>>(in, out)
extern "C" __global__ void copy(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    unsigned to;
    asm("{ .reg .u64 at; cvta.to.shared.u64 at, %1; cvt.u32.u64 %0, at; }" : "=r"(to) : "l"(s + t));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + t) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    out[t] = s[t];
}
