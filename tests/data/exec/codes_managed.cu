// What CUDA's runtime answers to calls that are wrong, or nearly: managed variables.
// codes_managed.txt is what an H200 says (CUDA 13.0, driver 580.159, 2026-11-28).
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#define SAY(call)                                                                                            \
    do {                                                                                                     \
        cudaError_t code = (call);                                                                           \
        printf("%3d %s: %s\n", (int)code, cudaGetErrorName(code), #call);                                    \
        cudaGetLastError();                                                                                  \
    } while (0)
#define VALUE(format, value) printf("    %s is " format "\n", #value, value)


__managed__ int shown[8];
__device__ int own[4];
__global__ void touch(int *p)
{
    p[0] = 1;
}
int main()
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    cudaPointerAttributes at;
    cudaStream_t s;
    int mostly = 7;
    void *p;
    size_t bytes;
    const cudaMemLocation here = { cudaMemLocationTypeDevice, 0 };
    cudaStreamCreate(&s);
    shown[1] = 5;
    SAY(cudaPointerGetAttributes(&at, shown));
    VALUE("%d", at.type);
    VALUE("%d", at.devicePointer == shown);
    VALUE("%d", at.hostPointer == shown);
    SAY(cudaPointerGetAttributes(&at, shown + 3));
    VALUE("%d", at.type);
    VALUE("%d", at.devicePointer == shown + 3);
    SAY(cudaGetSymbolAddress(&p, shown));
    VALUE("%d", p == shown);
    SAY(cudaGetSymbolSize(&bytes, shown));
    VALUE("%zu", bytes);
    SAY(cudaGetSymbolAddress(&p, own));
    SAY(cudaPointerGetAttributes(&at, p));
    VALUE("%d", at.type);
    VALUE("%d", at.hostPointer == NULL);
    SAY(cudaStreamAttachMemAsync(s, shown));
    SAY(cudaStreamAttachMemAsync(s, shown, 0, cudaMemAttachGlobal));
    SAY(cudaStreamAttachMemAsync(s, shown, 4, cudaMemAttachGlobal));
    SAY(cudaStreamAttachMemAsync(s, p, 0, cudaMemAttachGlobal));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaMemAdvise(shown, sizeof shown, cudaMemAdviseSetReadMostly, here));
    SAY(cudaMemRangeGetAttribute(&mostly, sizeof mostly, cudaMemRangeAttributeReadMostly, shown, sizeof shown));
    VALUE("%d", mostly);
    SAY(cudaMemPrefetchAsync(shown, sizeof shown, here, 0, s));
    SAY(cudaMemPrefetchAsync(shown + 4, 16, here, 0, s));
    SAY(cudaMemPrefetchAsync(p, 4, here, 0, s));
    SAY(cudaStreamSynchronize(s));
    touch<<<1, 1, 0, s>>>(shown);
    SAY(cudaStreamSynchronize(s));
    VALUE("%d", shown[0]);
    VALUE("%d", shown[1]);
    SAY(cudaMemset(shown, 0, 8));
    SAY(cudaMemcpy(shown + 2, shown, 8, cudaMemcpyDefault));
    SAY(cudaMemcpyToSymbol(shown, &mostly, 4, 12));
    SAY(cudaMemcpyFromSymbol(&mostly, shown, 4, 4));
    SAY(cudaDeviceSynchronize());
    VALUE("%d", shown[0]);
    VALUE("%d", shown[3]);
    VALUE("%d", mostly);
    SAY(cudaFree(shown));
    SAY(cudaFree(p));
    return 0;
}
