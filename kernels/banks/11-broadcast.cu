// Each warp takes one row, and in each step all its lanes read the same
// word of it. The bank reads the word once, and every lane that wants
// it gets it in the same clock.
//@ title   Broadcast
//@ why     Only different words of a bank wait for one another. The
//@ why     same word is read once and given to all.
//@ launch  banks_broadcast<<<n / 262144, 256>>>(x, out)
//@ owner   out <<<i / 256, i % 256>>>
extern "C" __global__ void
banks_broadcast(const unsigned *__restrict__ x,
                unsigned *__restrict__ out)
{
    __shared__ unsigned tile[32 * 32];
    for (int part = 0; part < 4; part++) {
        int word = part * 256 + threadIdx.x;
        tile[word] = x[blockIdx.x * 1024 + word];
    }
    __syncthreads();

    const volatile unsigned *mine = tile + threadIdx.x / 32 * 32;
    unsigned sum = 0;
    for (int sweep = 0; sweep < 32; sweep++) {
#pragma unroll
        for (int step = 0; step < 32; step++)
            sum += mine[step];
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
