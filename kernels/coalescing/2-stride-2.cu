// Neighbouring threads take every second column; the second half of the
// grid takes those in between. A warp's 32 words lie in eight sectors,
// and half of each sector is carried for nothing.
//@ title   Stride 2
//@ why     Half of every sector goes unused: the warp moves twice the
//@ why     bytes for the same 32 words.
//@ needs   n / 32 % 2 == 0
//@ launch  coalescing_stride_2<<<(n / 32 + 255) / 256, 256>>>(
//@             x, out, n / 32)
//@ owner   out <<<(i % 2 * (n / 32 / 2) + i / 2) / 256,
//@                (i % 2 * (n / 32 / 2) + i / 2) % 256>>>
extern "C" __global__ void
coalescing_stride_2(const float *__restrict__ x,
                    float *__restrict__ out, int columns)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= columns)
        return;
    int j = thread * 2 % columns + thread * 2 / columns;

    float sum = 0;
    for (int row = 0; row < 32; row++)
        sum += x[row * columns + j];
    out[j] = sum;
}
