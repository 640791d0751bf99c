// Neighbours take neighbouring columns: right, but without the stride.
//@ title   Every second column
//@ needs   n / 32 % 2 == 0
//@ launch  half<<<(n / 32 + 255) / 256, 256>>>(x, out, n / 32)
extern "C" __global__ void half(const float *__restrict__ x,
                                float *__restrict__ out, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= columns)
        return;
    int j = i;

    float sum = 0;
    for (int row = 0; row < 32; row++)
        sum += x[row * columns + j];
    out[j] = sum;
}
