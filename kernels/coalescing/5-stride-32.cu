// Every 32nd column, in 32 passes. With stride 8 each lane had a sector
// of its own already, so the request touches 32 sectors as before; now
// they lie 128 bytes apart.
//@ title   Stride 32
//@ why     A request of 32 lanes cannot touch more than 32 sectors:
//@ why     past stride 8 there is no more to waste.
//@ needs   n / 32 % 32 == 0
//@ launch  coalescing_stride_32<<<(n / 32 + 255) / 256, 256>>>(
//@             x, out, n / 32)
//@ owner   out <<<(i % 32 * (n / 32 / 32) + i / 32) / 256,
//@                (i % 32 * (n / 32 / 32) + i / 32) % 256>>>
extern "C" __global__ void
coalescing_stride_32(const float *__restrict__ x,
                     float *__restrict__ out, int columns)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= columns)
        return;
    int j = thread * 32 % columns + thread * 32 / columns;

    float sum = 0;
    for (int row = 0; row < 32; row++)
        sum += x[row * columns + j];
    out[j] = sum;
}
