// The twin in two launches.
//@ buffer total int[1] = 0
//@ buffer out   int[4]
//@ launch add<<<4, 32>>>(total)
//@ launch show<<<4, 32>>>(total, out)
extern "C" __global__ void add(int *total)
{
    atomicAdd(total, threadIdx.x);
}
extern "C" __global__ void show(const int *total, int *out)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = *total;
}
