// Lanes read word 32 * lane: the warp reads down a column, and all 32
// words of a column lie in one bank. The other 31 banks have nothing to
// do.
//@ title   Stride 32: a column
//@ why     32 words in one bank: 32 turns, the worst that can happen.
//@ launch  banks_stride_32<<<n / 262144, 256>>>(x, out)
//@ owner   out <<<i / 256, i % 256>>>
extern "C" __global__ void
banks_stride_32(const unsigned *__restrict__ x,
                unsigned *__restrict__ out)
{
    __shared__ unsigned tile[32 * 32];
    for (int part = 0; part < 4; part++) {
        int word = part * 256 + threadIdx.x;
        tile[word] = x[blockIdx.x * 1024 + word];
    }
    __syncthreads();

    int lane = threadIdx.x % 32;
    const volatile unsigned *mine = tile + lane * 32;
    unsigned sum = 0;
    for (int sweep = 0; sweep < 32; sweep++) {
#pragma unroll
        for (int step = 0; step < 32; step++)
            sum += mine[step];
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
