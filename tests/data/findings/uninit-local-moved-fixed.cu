// A thread counts in an array of its own.
//@ buffer x   int[32] = i % 8
//@ buffer out int[32]
//@ launch count<<<1, 32>>>(x, out)
extern "C" __global__ void count(const int *x, int *out)
{
    int seen[8] = { 0 };
    for (int i = 0; i < 32; i++)
        seen[x[i]]++;
    out[threadIdx.x] = seen[x[threadIdx.x]];
}
