// Lanes read word 16 * lane of sixteen rows: all even lanes want one
// bank, all odd lanes another. An odd stride would use all 32 banks;
// the powers of two are the bad ones, and the usual ones.
//@ title   Stride 16
//@ why     Sixteen words in each of 2 banks: sixteen turns.
//@ launch  banks_stride_16<<<n / 262144, 256>>>(x, out)
//@ owner   out <<<i / 256, i % 256>>>
extern "C" __global__ void
banks_stride_16(const unsigned *__restrict__ x,
                unsigned *__restrict__ out)
{
    __shared__ unsigned tile[32 * 32];
    for (int part = 0; part < 4; part++) {
        int word = part * 256 + threadIdx.x;
        tile[word] = x[blockIdx.x * 1024 + word];
    }
    __syncthreads();

    int lane = threadIdx.x % 32;
    const volatile unsigned *mine = tile + lane * 16;
    unsigned sum = 0;
    for (int sweep = 0; sweep < 32; sweep++) {
#pragma unroll
        for (int step = 0; step < 32; step++)
            sum += mine[step % 16 + step / 16 * 16 * 32];
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
