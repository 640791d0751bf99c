// A word is read, but it starts at byte i, not at byte 4 * i.
//@ title   Four bytes a thread
//@ needs   n % 1024 == 0
//@ launch  histogram_words<<<n / 4 / 256, 256>>>(data, bins)
extern "C" __global__ void histogram_words(const unsigned char *array,
                                           unsigned *bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned word = *(const unsigned *)&array[i];
    atomicAdd(&bins[word & 0xff], 1);
    atomicAdd(&bins[(word & 0xff00) >> 8], 1);
    atomicAdd(&bins[(word & 0xff0000) >> 16], 1);
    atomicAdd(&bins[(word & 0xff000000) >> 24], 1);
}
