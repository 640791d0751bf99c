// Each lane reads word 2 * lane of two rows: in each step only the even
// banks are in use, or only the odd ones. Lanes 16 apart want different
// words of the same bank.
//@ title   Stride 2
//@ why     Two words in each of 16 banks: two turns.
//@ launch  banks_stride_2<<<n / 262144, 256>>>(x, out)
//@ owner   out <<<i / 256, i % 256>>>
extern "C" __global__ void
banks_stride_2(const unsigned *__restrict__ x,
               unsigned *__restrict__ out)
{
    __shared__ unsigned tile[32 * 32];
    for (int part = 0; part < 4; part++) {
        int word = part * 256 + threadIdx.x;
        tile[word] = x[blockIdx.x * 1024 + word];
    }
    __syncthreads();

    int lane = threadIdx.x % 32;
    const volatile unsigned *mine = tile + lane * 2;
    unsigned sum = 0;
    for (int sweep = 0; sweep < 32; sweep++) {
#pragma unroll
        for (int step = 0; step < 32; step++)
            sum += mine[step % 2 + step / 2 * 2 * 32];
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
