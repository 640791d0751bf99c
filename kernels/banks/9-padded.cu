// The column again, but each row of the tile is followed by an unused
// word. Now the words of a column lie 33 apart, and 33 % 32 = 1: each
// lies one bank further on.
//@ title   Padded rows
//@ why     One unused word after each row spreads a column over all
//@ why     banks, for 128 bytes more.
//@ launch  banks_padded<<<n / 262144, 256>>>(x, out)
//@ owner   out <<<i / 256, i % 256>>>
extern "C" __global__ void banks_padded(const unsigned *__restrict__ x,
                                        unsigned *__restrict__ out)
{
    __shared__ unsigned tile[32 * 33];
    for (int part = 0; part < 4; part++) {
        int word = part * 256 + threadIdx.x;
        tile[word / 32 * 33 + word % 32] = x[blockIdx.x * 1024 + word];
    }
    __syncthreads();

    int lane = threadIdx.x % 32;
    const volatile unsigned *mine = tile + lane * 33;
    unsigned sum = 0;
    for (int sweep = 0; sweep < 32; sweep++) {
#pragma unroll
        for (int step = 0; step < 32; step++)
            sum += mine[step];
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
