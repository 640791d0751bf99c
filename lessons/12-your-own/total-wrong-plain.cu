// Adds up n ints. It was tested with n = 256, and was right. `compare`
// adds them up again with one thread: leave it and its launch.
//@ param   n = 1000
//@ buffer  x int[n] = i % 7
//@ buffer  total int[1] = 0
//@ launch  sum<<<(n + 255) / 256, 256>>>(x, total, n)
//@ launch  compare<<<1, 1>>>(total, n)
#include <assert.h>

extern "C" __global__ void sum(const int *x, int *total, int n)
{
    __shared__ int part[256];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;

    part[tid] = i < n ? x[i] : 0;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (tid < half)
            part[tid] += part[tid + half];
        __syncthreads();
    }
    if (tid == 0)
        *total += part[0];
}

extern "C" __global__ void compare(const int *total, int n)
{
    int want = 0;
    for (int i = 0; i < n; i++)
        want += i % 7; // as x was at the start
    assert(*total == want);
}
