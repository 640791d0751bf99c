// Words of which one byte is written, used as a whole.
//@ buffer out int[32]
//@ launch copy<<<1, 32>>>(out)
extern "C" __global__ void copy(int *out)
{
    __shared__ volatile unsigned words[32];
    int t = threadIdx.x;
    ((volatile unsigned char *)words)[4 * t + 1] = t;
    __syncthreads();
    out[t] = words[31 - t] >> 4 & 255;
}
