// The shuffled lanes are spread over 8 banks and 4 rows: four lanes
// meet in each bank, and each wants a word of its own. The bank serves
// them one after the other.
//@ title   Four lanes in each bank
//@ why     Four words of one bank take four turns, while three quarters
//@ why     of the banks have nothing to do.
//@ launch  banks_conflicting<<<n / 262144, 256>>>(x, out)
//@ owner   out <<<i / 256, i % 256>>>
extern "C" __global__ void
banks_conflicting(const unsigned *__restrict__ x,
                  unsigned *__restrict__ out)
{
    __shared__ unsigned tile[32 * 32];
    for (int part = 0; part < 4; part++) {
        int word = part * 256 + threadIdx.x;
        tile[word] = x[blockIdx.x * 1024 + word];
    }
    __syncthreads();

    int lane = threadIdx.x % 32;
    int place = (lane * 5 + 3) % 32;
    const volatile unsigned *mine =
        tile + place / 8 * 8 * 32 + place % 8;
    unsigned sum = 0;
    for (int sweep = 0; sweep < 32; sweep++) {
#pragma unroll
        for (int step = 0; step < 32; step++)
            sum += mine[step % 8 * 32 + step / 8 * 8];
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
