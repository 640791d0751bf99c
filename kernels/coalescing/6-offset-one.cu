// Neighbours read neighbours again, but each warp starts one word later
// than a sector does. Its 128 bytes touch five sectors instead of four;
// the next warp finds the shared one in the cache.
//@ title   Offset by one
//@ why     A request that is not aligned touches one sector more.
//@ why     Caches make that almost free.
//@ launch  coalescing_offset_one<<<(n / 32 + 255) / 256, 256>>>(
//@             x, out, n / 32)
//@ owner   out <<<(i + n / 32 - 1) % (n / 32) / 256,
//@                (i + n / 32 - 1) % (n / 32) % 256>>>
extern "C" __global__ void
coalescing_offset_one(const float *__restrict__ x,
                      float *__restrict__ out, int columns)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= columns)
        return;
    int j = (thread + 1) % columns;

    float sum = 0;
    for (int row = 0; row < 32; row++)
        sum += x[row * columns + j];
    out[j] = sum;
}
