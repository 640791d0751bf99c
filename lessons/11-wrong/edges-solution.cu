// out[i] is the sum of x[i] and its two neighbours. At both ends a
// neighbour is missing, and x[i] itself counts in its place. `compare`
// checks every element. Leave it and the launches as they are.
//@ param   n = 1000
//@ buffer  x int[n] = i * i
//@ buffer  out int[n]
//@ launch  neighbours<<<(n + 255) / 256, 256>>>(x, out, n)
//@ launch  compare<<<(n + 255) / 256, 256>>>(x, out, n)
#include <assert.h>

extern "C" __global__ void neighbours(const int *x, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int left = x[i > 0 ? i - 1 : i];
    int right = x[i < n - 1 ? i + 1 : i];
    out[i] = left + x[i] + right;
}

extern "C" __global__ void compare(const int *x, const int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int want = 3 * i * i + 2;
    if (i == 0)
        want -= 1;
    if (i == n - 1)
        want -= 2 * n - 1;
    assert(out[i] == want);
}
