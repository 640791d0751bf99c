// Two buffers in turn, and one group too many is let on its way: the tile that is read has not arrived.
//@ buffer in  int[512] = i
//@ buffer out int[64]
//@ launch add<<<1, 64>>>(in, out, 8)
extern "C" __global__ void add(const int *in, int *out, int tiles)
{
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    unsigned to;
    for (int i = 0; i <= tiles; i++) {
        asm("{ .reg .u64 at; cvta.to.shared.u64 at, %1; cvt.u32.u64 %0, at; }"
            : "=r"(to)
            : "l"(&s[i % 2][t]));
        if (i < tiles)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + 64 * i + t)
                         : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        __syncthreads();
        if (i > 0)
            sum += s[(i - 1) % 2][63 - t];
        __syncthreads();
    }
    out[t] = sum;
}
