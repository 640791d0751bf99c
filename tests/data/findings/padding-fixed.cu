// Structures with padding, and words of which only some bytes are written, are copied and used as far as they are.
//@ buffer out int[96]
//@ launch copy<<<1, 32>>>(out)
struct mixed {
    char c;
    int x;
    double d;
    short s;
};
extern "C" __global__ void copy(int *out)
{
    __shared__ mixed from[32], to[32];
    __shared__ volatile unsigned words[32];
    int t = threadIdx.x;
    from[t].c = t;
    from[t].x = 2 * t;
    from[t].d = t;
    from[t].s = 3;
    ((volatile unsigned char *)words)[4 * t + 1] = t;
    __syncthreads();
    to[t] = from[31 - t];
    words[t] = words[t];
    __syncthreads();
    out[t] = to[t].x + to[t].c;
    out[t + 32] = (int)to[t].d + to[t].s;
    out[t + 64] = words[31 - t] >> 8 & 255;
}
