// Finds the first element in which two arrays differ by more than
// `bound`, and writes its number to *first. If there is none, *first
// stays n. `spoil` makes `got` wrong from element `bad` on, for odd
// elements by far more than the bound, and for the others in a way that
// is harder to see. `compare` checks the answer. Leave these two and
// the launches as they are.
//@ param   n = 1000
//@ param   bad = 300
//@ buffer  want float[n] = i % 1000
//@ buffer  got float[n] = i % 1000 + 0.001
//@ buffer  first int[1] = n
//@ launch  spoil<<<(n + 255) / 256, 256>>>(got, bad, n)
//@ launch  find<<<(n + 255) / 256, 256>>>(got, want, first, 0.01, n)
//@ launch  compare<<<1, 1>>>(first, bad, n)
#include <assert.h>

extern "C" __global__ void find(const float *got, const float *want,
                                int *first, float bound, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; blockIdx.x == 0 && i < n; i += blockDim.x)
        if (!(fabsf(got[i] - want[i]) <= bound))
            atomicMin(first, i);
}

extern "C" __global__ void spoil(float *got, int bad, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= bad && i < n)
        got[i] = i % 2 ? -1 : __int_as_float(0x7fc00000);
}

extern "C" __global__ void compare(const int *first, int bad, int n)
{
    assert(*first == (bad < n ? bad : n));
}
