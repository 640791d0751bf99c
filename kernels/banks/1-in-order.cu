// A block copies 32 rows of 32 words to shared memory, then sweeps over
// them 32 times. In each step the lanes of a warp read one row, side by
// side: 32 lanes, 32 banks. volatile makes every read happen.
//@ title   In order
//@ why     Word w lies in bank w % 32. A bank serves one word a clock,
//@ why     and here every lane has its own bank.
//@ launch  banks_in_order<<<n / 262144, 256>>>(x, out)
//@ owner   out <<<i / 256, i % 256>>>
extern "C" __global__ void
banks_in_order(const unsigned *__restrict__ x,
               unsigned *__restrict__ out)
{
    __shared__ unsigned tile[32 * 32];
    for (int part = 0; part < 4; part++) {
        int word = part * 256 + threadIdx.x;
        tile[word] = x[blockIdx.x * 1024 + word];
    }
    __syncthreads();

    int lane = threadIdx.x % 32;
    const volatile unsigned *mine = tile + lane;
    unsigned sum = 0;
    for (int sweep = 0; sweep < 32; sweep++) {
#pragma unroll
        for (int step = 0; step < 32; step++)
            sum += mine[step * 32];
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
