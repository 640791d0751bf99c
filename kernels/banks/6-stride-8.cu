// Lanes read word 8 * lane of eight rows, in four banks. With every
// doubling of the stride, half as many banks serve the same lanes.
//@ title   Stride 8
//@ why     Eight words in each of 4 banks: eight turns.
//@ launch  banks_stride_8<<<n / 262144, 256>>>(x, out)
//@ owner   out <<<i / 256, i % 256>>>
extern "C" __global__ void
banks_stride_8(const unsigned *__restrict__ x,
               unsigned *__restrict__ out)
{
    __shared__ unsigned tile[32 * 32];
    for (int part = 0; part < 4; part++) {
        int word = part * 256 + threadIdx.x;
        tile[word] = x[blockIdx.x * 1024 + word];
    }
    __syncthreads();

    int lane = threadIdx.x % 32;
    const volatile unsigned *mine = tile + lane * 8;
    unsigned sum = 0;
    for (int sweep = 0; sweep < 32; sweep++) {
#pragma unroll
        for (int step = 0; step < 32; step++)
            sum += mine[step % 8 + step / 8 * 8 * 32];
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
