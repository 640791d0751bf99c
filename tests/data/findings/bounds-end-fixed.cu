// The twin with the test.
//@ param  n = 100
//@ buffer x   int[n] = i
//@ buffer out int[128]
//@ launch copy<<<2, 64>>>(x, out, n)
extern "C" __global__ void copy(const int *x, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i < n ? x[i] : 0;
}
