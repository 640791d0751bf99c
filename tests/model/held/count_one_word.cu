// Counts the numbers above a limit in one word.
//@ param   n = 1 << 20
//@ buffer  x     float[n] = hash(i) % 1000
//@ buffer  count int[1] = 0
//@ launch  count_above<<<n / 256, 256>>>(x, 700, count)
extern "C" __global__ void count_above(const float *x, float limit,
                                       int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (x[i] > limit)
        atomicAdd(count, 1);
}
