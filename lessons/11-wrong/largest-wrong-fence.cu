// Finds the largest of n numbers. `compare` finds it again with one
// thread, and stops if the answers differ. Leave it and the launches as
// they are.
//@ param   n = 1000
//@ buffer  x int[n] = 100003 - i * 7919 % 100003
//@ buffer  largest int[1] = 0
//@ launch  find<<<(n + 255) / 256, 256>>>(x, largest, n)
//@ launch  compare<<<1, 1>>>(largest, n)
#include <assert.h>

extern "C" __global__ void find(const int *x, int *largest, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > *largest) {
        *largest = x[i];
        __threadfence();
    }
}

extern "C" __global__ void compare(const int *largest, int n)
{
    int want = 0;
    for (int i = 0; i < n; i++) {
        int x = 100003 - i * 7919 % 100003; // as it was at the start
        want = x > want ? x : want;
    }
    assert(*largest == want);
}
