// The twin at multiples of four.
//@ buffer x   char[256] = i
//@ buffer out float[32]
//@ launch odd<<<1, 32>>>(x, out)
extern "C" __global__ void odd(const char *x, float *out)
{
    int t = threadIdx.x;
    out[t] = *(const float *)(x + 4 * t);
}
