// All wait; and the last copy takes only as many bytes as there are.
//@ buffer in  int[126] = i
//@ buffer out int[128]
//@ launch copy<<<1, 32>>>(in, out, 126)
extern "C" __global__ void copy(const int *in, int *out, int n)
{
    __shared__ __align__(16) int s[128];
    int t = threadIdx.x, left = n - 4 * t, bytes = left >= 4 ? 16 : left > 0 ? 4 * left : 0;
    unsigned to;
    asm("{ .reg .u64 at; cvta.to.shared.u64 at, %1; cvt.u32.u64 %0, at; }" : "=r"(to) : "l"(s + 4 * t));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(in + 4 * t), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (int i = t; i < 128; i += 32)
        out[i] = s[127 - i];
}
