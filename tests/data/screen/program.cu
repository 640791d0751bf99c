#include <cstdio>
__global__ void scale(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] *= 2;
}
__global__ void sum(const float *x, float *s, int n)
{
    __shared__ float part[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0;
    if (threadIdx.x == 0)
        for (int k = 1; k < 128; k++)
            part[0] += part[k];
    if (threadIdx.x == 0)
        atomicAdd(s, part[0]);
}
int main()
{
    float *x, *s, host = 0, ones[1000];
    for (int i = 0; i < 1000; i++)
        ones[i] = 1;
    cudaMalloc(&x, 1000 * sizeof(float));
    cudaMalloc(&s, sizeof(float));
    cudaMemset(s, 0, sizeof(float));
    cudaMemcpy(x, ones, sizeof ones, cudaMemcpyHostToDevice);
    for (int k = 0; k < 3; k++)
        scale<<<8, 128>>>(x, 1000);
    sum<<<8, 128>>>(x, s, 1000);
    cudaMemcpy(&host, s, sizeof host, cudaMemcpyDeviceToHost);
    printf("the sum is %g\n", host);
    cudaFree(x);
    return 0;
}
