// The neighbour to the left of the first element.
//@ buffer x   int[64] = i
//@ buffer out int[64]
//@ launch left<<<1, 64>>>(x, out)
extern "C" __global__ void left(const int *x, int *out)
{
    int i = threadIdx.x;
    out[i] = x[i - 1];
}
