// What CUDA's runtime answers to calls that are wrong, or nearly: memory of graphs.
// codes_graph_memory.txt is what an H200 says (CUDA 13.0, driver 580.159, 2026-11-28).
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

__global__ void fill(int *p) { p[threadIdx.x] = 1; }
int main()
{
    cudaGraph_t g, h, c;
    cudaGraphNode_t a, k, f, n, e;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaGraphCreate(&g, 0);
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.bytesize = 4096;
    SAY(cudaGraphAddMemAllocNode(&a, g, NULL, 0, &p));
    void *args[] = { &p.dptr };
    cudaKernelNodeParams kp = {};
    kp.func = (void *)fill;
    kp.gridDim = 1;
    kp.blockDim = 32;
    kp.kernelParams = args;
    SAY(cudaGraphAddKernelNode(&k, g, &a, 1, &kp));
    SAY(cudaGraphAddMemFreeNode(&f, g, &k, 1, p.dptr));
    SAY(cudaGraphClone(&c, g));
    cudaGraphCreate(&h, 0);
    SAY(cudaGraphAddChildGraphNode(&n, h, NULL, 0, g));
    size_t count = 0;
    cudaGraphGetNodes(h, NULL, &count);
    printf("nodes in h %zu\n", count);
    SAY(cudaGraphDestroyNode(k));
    SAY(cudaGraphDestroyNode(a));
    SAY(cudaGraphRemoveDependencies(g, &k, &f, NULL, 1));
    SAY(cudaGraphAddEmptyNode(&e, g, &f, 1));
    SAY(cudaGraphDestroyNode(e));
    cudaGraphExec_t x, y;
    SAY(cudaGraphInstantiate(&x, g, 0));
    SAY(cudaGraphInstantiate(&y, g, 0));
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaGraphExecDestroy(x));
    SAY(cudaGraphInstantiate(&y, g, 0));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SAY(cudaGraphLaunch(y, s));
    SAY(cudaStreamEndCapture(s, &c));
    SAY(cudaGraphExecDestroy(y));
    // allocated, not freed
    cudaGraph_t o;
    cudaGraphCreate(&o, 0);
    SAY(cudaGraphAddMemAllocNode(&a, o, NULL, 0, &p));
    SAY(cudaGraphInstantiate(&x, o, 0));
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaFree(p.dptr));
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaFreeAsync(p.dptr, s));
    SAY(cudaFreeAsync(p.dptr, s));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaGraphExecDestroy(x));
    SAY(cudaGraphInstantiate(&x, o, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaGraphAddMemFreeNode(&f, o, &a, 1, (char *)p.dptr + 64));
    cudaGraph_t q;
    cudaGraphCreate(&q, 0);
    SAY(cudaGraphAddMemFreeNode(&f, q, NULL, 0, NULL));
    p.bytesize = 0;
    SAY(cudaGraphAddMemAllocNode(&a, q, NULL, 0, &p));
    p.bytesize = 64;
    p.poolProps.allocType = cudaMemAllocationTypeInvalid;
    SAY(cudaGraphAddMemAllocNode(&a, q, NULL, 0, &p));
    SAY(cudaDeviceGraphMemTrim(0));
    return 0;
}
