// Bytes of one word belong to different threads; only the neighbours' are a race.
//@ buffer out unsigned char[64]
//@ launch bytes<<<1, 64>>>(out)
extern "C" __global__ void bytes(unsigned char *out)
{
    __shared__ unsigned char s[64];
    int t = threadIdx.x;
    s[t] = t;
    out[t] = s[t ^ 33];
}
