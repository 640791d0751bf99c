// The lanes read the same row in another order: lane 0 takes word 3,
// lane 1 word 8, lane 2 word 13 ... 5 and 32 have no common factor, so
// the lanes still meet 32 different banks.
//@ title   In another order
//@ why     It does not matter which lane reads which bank, only that no
//@ why     two want different words of one.
//@ launch  banks_permuted<<<n / 262144, 256>>>(x, out)
//@ owner   out <<<i / 256, i % 256>>>
extern "C" __global__ void
banks_permuted(const unsigned *__restrict__ x,
               unsigned *__restrict__ out)
{
    __shared__ unsigned tile[32 * 32];
    for (int part = 0; part < 4; part++) {
        int word = part * 256 + threadIdx.x;
        tile[word] = x[blockIdx.x * 1024 + word];
    }
    __syncthreads();

    int lane = threadIdx.x % 32;
    const volatile unsigned *mine = tile + (lane * 5 + 3) % 32;
    unsigned sum = 0;
    for (int sweep = 0; sweep < 32; sweep++) {
#pragma unroll
        for (int step = 0; step < 32; step++)
            sum += mine[step * 32];
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
