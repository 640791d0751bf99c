// Every fourth column, in four passes over x. A warp's 32 words lie in
// 16 sectors. When a later pass wants the rest of a sector, a large x
// has long pushed it out of the cache.
//@ title   Stride 4
//@ why     A quarter of every sector is used, so four times the bytes
//@ why     move for the same sums.
//@ needs   n / 32 % 4 == 0
//@ launch  coalescing_stride_4<<<(n / 32 + 255) / 256, 256>>>(
//@             x, out, n / 32)
//@ owner   out <<<(i % 4 * (n / 32 / 4) + i / 4) / 256,
//@                (i % 4 * (n / 32 / 4) + i / 4) % 256>>>
extern "C" __global__ void
coalescing_stride_4(const float *__restrict__ x,
                    float *__restrict__ out, int columns)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= columns)
        return;
    int j = thread * 4 % columns + thread * 4 / columns;

    float sum = 0;
    for (int row = 0; row < 32; row++)
        sum += x[row * columns + j];
    out[j] = sum;
}
