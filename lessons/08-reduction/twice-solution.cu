// Adds up the same data twice. The sums are made in shared memory. Do
// not change the launches, nor `compare`, which stops where a sum is
// wrong.
//@ param   n = 4096
//@ buffer  data int[n] = i % 16
//@ buffer  first int[1] = 0
//@ buffer  second int[1] = 0
//@ needs   n % 128 == 0
//@ launch  sum_blocks<<<n / 128, 128>>>(data, first, n)
//@ launch  sum_blocks<<<n / 128, 128>>>(data, second, n)
//@ launch  compare<<<1, 1>>>(first, second, n)
#include <assert.h>

extern "C" __global__ void sum_blocks(int *data, int *total, int n)
{
    __shared__ int mine[128];
    int tid = threadIdx.x;

    mine[tid] = data[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (tid < half)
            mine[tid] += mine[tid + half];
        __syncthreads();
    }
    if (tid == 0)
        atomicAdd(total, mine[0]);
}

extern "C" __global__ void compare(const int *first, const int *second,
                                   int n)
{
    assert(*first == n / 2 * 15);
    assert(*second == *first);
}
