// An experiment: stride 32, but four neighbouring warps take the four
// sectors of each line, instead of passes that are far apart.
//@ title   Stride 32, shared lines
//@ why     A request still wants one sector of each of 32 lines. What
//@ why     differs is only when the other three are wanted.
//@ needs   n / 32 % 1024 == 0
//@ launch  coalescing_shared_lines<<<(n / 32 + 255) / 256, 256>>>(
//@             x, out, n / 32)
//@ owner   out <<<(i % 8 * (n / 256) + i / 1024 * 128 +
//@                 i % 32 / 8 * 32 + i % 1024 / 32) / 256,
//@                (i % 32 / 8 * 32 + i % 1024 / 32 +
//@                 i % 8 * (n / 256) + i / 1024 * 128) % 256>>>
extern "C" __global__ void
coalescing_shared_lines(const float *__restrict__ x,
                        float *__restrict__ out, int columns)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= columns)
        return;
    // Eight passes: in each, a warp takes float `pass` of one sector of
    // 32 lines, and the next three warps their three other sectors.
    int pass = thread / (columns / 8), of_pass = thread % (columns / 8);
    int line = of_pass / 128 * 32 + of_pass % 32;
    int sector = of_pass / 32 % 4;
    int j = line * 32 + sector * 8 + pass;

    float sum = 0;
    for (int row = 0; row < 32; row++)
        sum += x[row * columns + j];
    out[j] = sum;
}
