// Of words of which one byte is written, only that goes through a buffer without content.
//@ buffer tmp int[32]
//@ buffer out int[32]
//@ launch copy<<<1, 32>>>(tmp, out)
extern "C" __global__ void copy(volatile unsigned *tmp, int *out)
{
    __shared__ volatile unsigned words[32];
    int t = threadIdx.x;
    ((volatile unsigned char *)words)[4 * t + 1] = t;
    tmp[t] = words[t] & 0xff00;
    out[t] = tmp[t] >> 4 & 255;
}
