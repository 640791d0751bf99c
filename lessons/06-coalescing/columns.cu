// x has 32 rows. Each thread adds up four neighbouring columns in turn.
//@ title   Four columns a thread
//@ needs   n % 128 == 0
//@ launch  columns<<<(n / 128 + 127) / 128, 128>>>(x, out, n / 32)
extern "C" __global__ void columns(const float *__restrict__ x,
                                   float *__restrict__ out, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = columns / 4; // those that have something to do
    if (i >= threads)
        return;

    // TODO: for each k, let neighbours take neighbouring columns.
    for (int k = 0; k < 4; k++) {
        int j = 4 * i + k;
        float sum = 0;
        for (int row = 0; row < 32; row++)
            sum += x[row * columns + j];
        out[j] = sum;
    }
}
