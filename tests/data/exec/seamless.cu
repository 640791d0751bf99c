// A linear filter over the edges and corners of a cube's faces. seamless.txt is what an H100 prints.
#include <cstdio>
__global__ void fetch(cudaTextureObject_t cube, const float3 *to, float *out)
{
    const float3 d = to[threadIdx.x];
    out[threadIdx.x] = texCubemap<float>(cube, d.x, d.y, d.z);
}
static const float3 directions[] = {
    { -1.25, -0.9875, 0.816 },
    { 0.136, 1.25, -1.2 },
    { 1.1875, 0.381, -1.25 },
    { -1.25, -0.975, -0.431 },
    { 0.446, 1.25, 1.0625 },
    { 1.2125, 0.179, -1.25 },
    { -1.25, -1.2375, 0.767 },
    { 0.92, -1.25, 1.2375 },
    { -1.25, -1.1875, 1.0125 },
    { -0.975, -1.25, 1.1875 },
    { 1.2375, -1.2375, -1.25 },
    { -1.25, -1, -1.025 },
    { 1.05, 1.25, -1.0625 },
    { 1.1125, -1.05, 1.25 },
    { -1.25, 1.125, 1.025 },
    { -0.975, -1.25, 1.1875 },
    { -1.125, 1.0375, 1.25 },
    { 1.25, 1.1375, -1.0625 },
    { -0.9625, -1.25, 1.05 },
    { 1.2375, 0.975, 1.25 },
    { -1.25, 1.2125, 1.0125 },
    { 1.1, -1.25, 1.0375 },
    { -1.125, -1.0375, -1.25 },
    { 1.25, -1.0125, -1.075 },
};
int main()
{
    enum { N = 4, COUNT = sizeof directions / sizeof *directions };
    float texels[6 * N * N], *out;
    float3 *to;
    for (int i = 0; i < 6 * N * N; i++)
        texels[i] = i * 37 % 97 + i / (N * N) * 1000;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMalloc3DArray(&array, &format, make_cudaExtent(N, N, 6), cudaArrayCubemap);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels, N * sizeof(float), N, N);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(N, N, 6);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    cudaResourceDesc resource = {};
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.filterMode = cudaFilterModeLinear;
    how.normalizedCoords = how.seamlessCubemap = 1;
    cudaTextureObject_t cube;
    cudaCreateTextureObject(&cube, &resource, &how, nullptr);
    cudaMallocManaged(&out, COUNT * sizeof *out);
    cudaMallocManaged(&to, sizeof directions);
    for (int i = 0; i < COUNT; i++)
        to[i] = directions[i];
    fetch<<<1, COUNT>>>(cube, to, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < COUNT; i++)
        printf("%.3f\n", out[i]);
    cudaDestroyTextureObject(cube);
    cudaFreeArray(array);
    cudaFree(out);
    cudaFree(to);
}
