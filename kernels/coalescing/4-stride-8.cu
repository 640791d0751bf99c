// Every eighth column, in eight passes. Eight floats are 32 bytes: each
// lane has a sector of its own. One word of eight is used, the worst
// share that a sector allows.
//@ title   Stride 8
//@ why     32 lanes touch 32 sectors: each lane pays for 32 bytes and
//@ why     uses 4.
//@ needs   n / 32 % 8 == 0
//@ launch  coalescing_stride_8<<<(n / 32 + 255) / 256, 256>>>(
//@             x, out, n / 32)
//@ owner   out <<<(i % 8 * (n / 32 / 8) + i / 8) / 256,
//@                (i % 8 * (n / 32 / 8) + i / 8) % 256>>>
extern "C" __global__ void
coalescing_stride_8(const float *__restrict__ x,
                    float *__restrict__ out, int columns)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= columns)
        return;
    int j = thread * 8 % columns + thread * 8 / columns;

    float sum = 0;
    for (int row = 0; row < 32; row++)
        sum += x[row * columns + j];
    out[j] = sum;
}
