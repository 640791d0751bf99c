// x is read as 32 rows of `columns` numbers; out[j] is the sum of
// column j. Thread j takes column j. In each step the 32 lanes of a
// warp read 32 neighbours: 128 bytes, four sectors, and every byte is
// used.
//@ title   Unit stride
//@ why     Neighbouring lanes read neighbouring words, so of every
//@ why     sector of 32 bytes each byte is used.
//@ launch  coalescing_unit_stride<<<(n / 32 + 255) / 256, 256>>>(
//@             x, out, n / 32)
//@ owner   out <<<i / 256, i % 256>>>
extern "C" __global__ void
coalescing_unit_stride(const float *__restrict__ x,
                       float *__restrict__ out, int columns)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= columns)
        return;
    int j = thread;

    float sum = 0;
    for (int row = 0; row < 32; row++)
        sum += x[row * columns + j];
    out[j] = sum;
}
