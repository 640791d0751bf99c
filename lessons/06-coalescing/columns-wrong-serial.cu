// One lane of each warp does the work of all: few sectors a request,
// and far too many requests.
//@ title   Four columns a thread
//@ needs   n % 128 == 0
//@ launch  columns<<<(n / 128 + 127) / 128, 128>>>(x, out, n / 32)
extern "C" __global__ void columns(const float *__restrict__ x,
                                   float *__restrict__ out, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 32 != 0)
        return;

    for (int j = 4 * i; j < 4 * (i + 32) && j < columns; j++) {
        float sum = 0;
        for (int row = 0; row < 32; row++)
            sum += x[row * columns + j];
        out[j] = sum;
    }
}
