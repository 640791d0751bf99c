// The column again, without padding: row r keeps the word of column c
// at place c ^ r of the row. Within a row that is only another order,
// but the words of a column land in 32 different banks.
//@ title   XOR-swizzled rows
//@ why     Moving words within their rows does what padding does, and
//@ why     the tile stays as small as it was.
//@ launch  banks_xor<<<n / 262144, 256>>>(x, out)
//@ owner   out <<<i / 256, i % 256>>>
extern "C" __global__ void banks_xor(const unsigned *__restrict__ x,
                                     unsigned *__restrict__ out)
{
    __shared__ unsigned tile[32 * 32];
    for (int part = 0; part < 4; part++) {
        int word = part * 256 + threadIdx.x;
        tile[word / 32 * 32 + (word % 32 ^ word / 32)] =
            x[blockIdx.x * 1024 + word];
    }
    __syncthreads();

    int lane = threadIdx.x % 32;
    const volatile unsigned *mine = tile + lane * 32;
    unsigned sum = 0;
    for (int sweep = 0; sweep < 32; sweep++) {
#pragma unroll
        for (int step = 0; step < 32; step++)
            sum += mine[step ^ lane];
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
