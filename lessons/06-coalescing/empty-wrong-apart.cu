// Four neighbouring columns a thread, a float at a time: stride 4.
//@ title   Columns from an empty file
//@ launch  sums<<<(n / 128 + 127) / 128, 128>>>(x, out, n / 32)
extern "C" __global__ void sums(const float *__restrict__ x,
                                float *__restrict__ out, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= columns / 4)
        return;

    for (int j = 4 * i; j < 4 * i + 4; j++) {
        float sum = 0;
        for (int row = 0; row < 32; row++)
            sum += x[row * columns + j];
        out[j] = sum;
    }
}
