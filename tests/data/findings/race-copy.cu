// An asynchronous copy is waited for by the thread that made it, but others read it.
//@ buffer in  int[128] = i
//@ buffer out int[128]
//@ launch copy<<<1, 32>>>(in, out)
extern "C" __global__ void copy(const int *in, int *out)
{
    __shared__ __align__(16) int s[128];
    int t = threadIdx.x;
    unsigned to;
    asm("{ .reg .u64 at; cvta.to.shared.u64 at, %1; cvt.u32.u64 %0, at; }" : "=r"(to) : "l"(s + 4 * t));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + 4 * t) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[t] = s[127 - t];
    out[t + 32] = out[t + 64] = out[t + 96] = 0;
}
