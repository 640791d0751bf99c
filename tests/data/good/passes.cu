// Sorts n numbers: one launch for each pass of a bitonic sort, and one that says how many pairs of neighbours are in order.
//@ title  Bitonic passes
//@ param  n = 1024
//@ buffer data int[n] = hash(i) % 1000
//@ buffer sorted int[1] = 0
//@ for (k = 2; k <= n; k = k * 2)
//@ for (j = k / 2; j > 0; j = j / 2)
//@ launch pass<<<n / 256, 256>>>(data, j, k)
//@ end
//@ end
//@ launch look<<<n / 256, 256>>>(data, sorted, n)
//@ launch tell<<<1, 1>>>(sorted)
#include <stdio.h>

__global__ void pass(int *data, int j, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
    if (other > i) {
        int a = data[i], b = data[other];
        if ((a > b) == ((i & k) == 0)) {
            data[i] = b;
            data[other] = a;
        }
    }
}

__global__ void look(const int *data, int *sorted, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n && data[i] <= data[i + 1])
        atomicAdd(sorted, 1);
}

__global__ void tell(const int *sorted)
{
    printf("%d pairs in order\n", *sorted);
}
