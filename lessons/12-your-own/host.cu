// A whole program. The kernel is right; the host's part is yours.
// n is the argument; 0 is returned where every element is right.
#include <stdio.h>
#include <stdlib.h>

__global__ void axpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

// Each call of CUDA goes through it: must(cudaMalloc(...)).
static void must(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(1);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20, wrong = 1;
    size_t bytes = n * sizeof(float);
    float *x = (float *)malloc(bytes), *y = (float *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        x[i] = i % 100;
        y[i] = i % 7;
    }

    // TODO: x and y to the GPU. axpy with a = 2, between two events.
    // y back. The time in ms. Each y[i] compared with 2 * x[i] + i % 7.
    // What was taken from the GPU is given back.

    free(x);
    free(y);
    return wrong ? 1 : 0;
}
