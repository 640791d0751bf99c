// The twin with room for it.
//@ buffer x   char[64] = i
//@ buffer out int[8]
//@ launch wide<<<1, 8>>>(x, out)
extern "C" __global__ void wide(const char *x, int *out)
{
    int t = threadIdx.x;
    int2 v = ((const int2 *)x)[t];
    out[t] = v.x + v.y;
}
