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
    float *x, *y, ms;
    must(cudaMallocManaged(&x, bytes));
    must(cudaMallocManaged(&y, bytes));
    for (int i = 0; i < n; i++) {
        x[i] = i % 100;
        y[i] = i % 7;
    }

    cudaEvent_t start, stop;
    must(cudaEventCreate(&start));
    must(cudaEventCreate(&stop));
    must(cudaEventRecord(start));
    axpy<<<(n + 255) / 256, 256>>>(2, x, y, n);
    must(cudaGetLastError()); // what is wrong with the launch itself
    must(cudaEventRecord(stop));
    must(cudaEventSynchronize(stop)); // what went wrong while it ran
    must(cudaEventElapsedTime(&ms, start, stop));

    wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += y[i] != 2 * x[i] + i % 7;
    printf("%d wrong, %.4f ms\n", wrong, ms);

    must(cudaEventDestroy(start));
    must(cudaEventDestroy(stop));
    must(cudaFree(x));
    must(cudaFree(y));

    return wrong ? 1 : 0;
}
