// Every warp has four buffers in turn, and up to three of them on their way. Eight lanes copy, all commit and wait.
//@ buffer in  int[2048] = i
//@ buffer out int[64]
//@ launch add<<<1, 64>>>(in, out, 32)
extern "C" __global__ void add(const int *in, int *out, int tiles)
{
    __shared__ __align__(16) int s[2][4][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
    unsigned to;
    for (int i = 0; i < tiles + 3; i++) {
        if (i >= 3) {
            asm volatile("cp.async.wait_group 2;" ::: "memory");
            __syncwarp();
            sum += s[warp][(i - 3) % 4][31 - lane];
        }
        asm("{ .reg .u64 at; cvta.to.shared.u64 at, %1; cvt.u32.u64 %0, at; }"
            : "=r"(to)
            : "l"(&s[warp][i % 4][4 * (lane % 8)]));
        const int *from = in + (2 * i + warp) * 32 + 4 * lane;
        if (lane < 8 && i < tiles)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    out[threadIdx.x] = sum;
}
