// The 8 numbers beyond the block's own are never loaded. `compare`
// checks every element: x[i] is i % 64. Leave it and the launches as
// they are.
//@ param   n = 16384
//@ buffer  x int[n] = i % 64
//@ buffer  out int[n] = 0
//@ needs   n % 256 == 0
//@ launch  smooth<<<n / 256, 256>>>(x, out, n)
//@ launch  compare<<<n / 256, 256>>>(out, n)
#include <assert.h>

enum { REACH = 4 }; // neighbours on each side

extern "C" __global__ void smooth(const int *__restrict__ x,
                                  int *__restrict__ out, int n)
{
    __shared__ int tile[256 + 2 * REACH];
    int first = blockIdx.x * blockDim.x - REACH; // what tile[0] holds

    int t = threadIdx.x;
    tile[t] = first + t >= 0 && first + t < n ? x[first + t] : 0;
    __syncthreads();

    int sum = 0;
    for (int k = 0; k <= 2 * REACH; k++)
        sum += tile[threadIdx.x + k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void compare(const int *__restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int want = 0;
    for (int k = i - 4; k <= i + 4; k++)
        want += k >= 0 && k < n ? k % 64 : 0;
    assert(out[i] == want);
}
