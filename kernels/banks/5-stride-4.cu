// Each lane reads word 4 * lane of four rows: one bank in four is in
// use, and lanes 8 apart meet in it. This is how 32 lanes read the .x
// of 32 neighbouring structures of four floats.
//@ title   Stride 4
//@ why     Four words in each of 8 banks: four turns, as in the
//@ why     shuffled case.
//@ launch  banks_stride_4<<<n / 262144, 256>>>(x, out)
//@ owner   out <<<i / 256, i % 256>>>
extern "C" __global__ void
banks_stride_4(const unsigned *__restrict__ x,
               unsigned *__restrict__ out)
{
    __shared__ unsigned tile[32 * 32];
    for (int part = 0; part < 4; part++) {
        int word = part * 256 + threadIdx.x;
        tile[word] = x[blockIdx.x * 1024 + word];
    }
    __syncthreads();

    int lane = threadIdx.x % 32;
    const volatile unsigned *mine = tile + lane * 4;
    unsigned sum = 0;
    for (int sweep = 0; sweep < 32; sweep++) {
#pragma unroll
        for (int step = 0; step < 32; step++)
            sum += mine[step % 4 + step / 4 * 4 * 32];
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
