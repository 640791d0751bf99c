// What CUDA's runtime answers to calls that are wrong, or nearly: graphs, their updates, and captures.
// codes_graphs.txt is what an H200 says (CUDA 13.0, driver 580.159, 2026-11-28).
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

__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
__global__ void other(int *p, int v) { p[threadIdx.x] = v * 2; }
__global__ void three(int *p, int v, int w) { p[threadIdx.x] = v + w; }
__device__ int sym[64];
static void CUDART_CB host(void *x) { ++*(int *)x; }
int main()
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    cudaStream_t s, t;
    cudaStreamCreate(&s);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    int *d, *d2;
    cudaMalloc(&d, 4096);
    cudaMalloc(&d2, 4096);
    int h[64] = { 0 };
    int calls = 0;
    cudaGraph_t g, g2, g3;
    cudaGraphExec_t x;
    cudaGraphNode_t n, n2, nn[10];
    size_t c;
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    fill<<<1, 32, 0, s>>>(d, 1);
    SAY(cudaMemcpyAsync(h, d, 64, cudaMemcpyDeviceToHost, s));
    SAY(cudaLaunchHostFunc(s, host, &calls));
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaGraphInstantiate(&x, g, 0));
    SAY(cudaGraphLaunch(x, s));
    cudaStreamSynchronize(s);
    VALUE("%d", h[3]);
    VALUE("%d", calls);
    cudaGraphExecUpdateResultInfo info;
#define UPD(graph)                                                                                           \
    do {                                                                                                     \
        memset(&info, 0, sizeof info);                                                                       \
        SAY(cudaGraphExecUpdate(x, graph, &info));                                                           \
        VALUE("%d", info.result);                                                                            \
        printf("node %d from %d\n", info.errorNode != 0, info.errorFromNode != 0);                           \
    } while (0)
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    fill<<<1, 32, 0, s>>>(d, 2);
    cudaMemcpyAsync(h, d, 64, cudaMemcpyDeviceToHost, s);
    cudaLaunchHostFunc(s, host, &calls);
    cudaStreamEndCapture(s, &g2);
    UPD(g2);
    cudaGraphLaunch(x, s);
    cudaStreamSynchronize(s);
    VALUE("%d", h[3]);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    other<<<1, 32, 0, s>>>(d, 2);
    cudaMemcpyAsync(h, d, 64, cudaMemcpyDeviceToHost, s);
    cudaLaunchHostFunc(s, host, &calls);
    cudaStreamEndCapture(s, &g2);
    UPD(g2);
    cudaGraphLaunch(x, s);
    cudaStreamSynchronize(s);
    VALUE("%d", h[3]);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    three<<<2, 64, 0, s>>>(d, 2, 5);
    cudaMemcpyAsync(h, d, 64, cudaMemcpyDeviceToHost, s);
    cudaLaunchHostFunc(s, host, &calls);
    cudaStreamEndCapture(s, &g2);
    UPD(g2);
    cudaGraphLaunch(x, s);
    cudaStreamSynchronize(s);
    VALUE("%d", h[3]);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    fill<<<1, 32, 0, s>>>(d, 2);
    cudaMemcpyAsync(h, d, 128, cudaMemcpyDeviceToHost, s);
    cudaLaunchHostFunc(s, host, &calls);
    cudaStreamEndCapture(s, &g2);
    UPD(g2);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    fill<<<1, 32, 0, s>>>(d, 2);
    cudaMemcpyAsync(d2, d, 64, cudaMemcpyDeviceToDevice, s);
    cudaLaunchHostFunc(s, host, &calls);
    cudaStreamEndCapture(s, &g2);
    UPD(g2);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    fill<<<1, 32, 0, s>>>(d, 2);
    cudaMemsetAsync(d, 0, 64, s);
    cudaLaunchHostFunc(s, host, &calls);
    cudaStreamEndCapture(s, &g2);
    UPD(g2);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    fill<<<1, 32, 0, s>>>(d, 2);
    cudaMemcpyAsync(h, d, 64, cudaMemcpyDeviceToHost, s);
    cudaStreamEndCapture(s, &g2);
    UPD(g2);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(h, d, 64, cudaMemcpyDeviceToHost, s);
    fill<<<1, 32, 0, s>>>(d, 2);
    cudaLaunchHostFunc(s, host, &calls);
    cudaStreamEndCapture(s, &g2);
    UPD(g2);
    // forks
    cudaEvent_t e, e2;
    cudaEventCreate(&e);
    cudaEventCreateWithFlags(&e2, cudaEventDisableTiming);
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    SAY(cudaEventRecord(e, s));
    SAY(cudaStreamWaitEvent(t, e, 0));
    fill<<<1, 32, 0, t>>>(d2, 1);
    fill<<<1, 32, 0, s>>>(d, 1);
    cudaStreamCaptureStatus st;
    SAY(cudaStreamIsCapturing(t, &st));
    VALUE("%d", st);
    SAY(cudaEventQuery(e));
    SAY(cudaEventSynchronize(e));
    SAY(cudaStreamQuery(s));
    SAY(cudaStreamIsCapturing(s, &st));
    VALUE("%d", st);
    SAY(cudaStreamEndCapture(s, &g3));
    VALUE("%d", g3 != 0);
    SAY(cudaStreamIsCapturing(t, &st));
    VALUE("%d", st);
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    SAY(cudaEventRecord(e, s));
    SAY(cudaStreamWaitEvent(t, e, 0));
    fill<<<1, 32, 0, t>>>(d2, 1);
    SAY(cudaStreamEndCapture(s, &g3));
    VALUE("%d", g3 != 0); // not joined
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    SAY(cudaEventRecord(e, s));
    SAY(cudaStreamWaitEvent(t, e, 0));
    fill<<<1, 32, 0, t>>>(d2, 1);
    SAY(cudaStreamEndCapture(t, &g3)); // not the origin
    SAY(cudaEventRecord(e2, t));
    SAY(cudaStreamWaitEvent(s, e2, 0));
    SAY(cudaStreamEndCapture(s, &g3));
    VALUE("%d", g3 != 0);
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    fill<<<1, 32>>>(d, 1);
    SAY(cudaGetLastError()); // legacy stream
    SAY(cudaStreamEndCapture(s, &g3));
    VALUE("%d", g3 != 0);
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    void *m;
    SAY(cudaMalloc(&m, 64));
    SAY(cudaStreamEndCapture(s, &g3));
    VALUE("%d", g3 != 0);
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    SAY(cudaMalloc(&m, 64));
    SAY(cudaFree(m));
    SAY(cudaMemcpy(d, d2, 64, cudaMemcpyDeviceToDevice));
    SAY(cudaStreamEndCapture(s, &g3));
    VALUE("%d", g3 != 0);
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaStreamEndCapture(s, &g3));
    VALUE("%d", g3 != 0);
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    SAY(cudaStreamDestroy(s));
    cudaStreamCreate(&s);
    SAY(cudaStreamBeginCapture(0, cudaStreamCaptureModeThreadLocal));
    SAY(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeThreadLocal));
    SAY(cudaStreamEndCapture(cudaStreamPerThread, &g3));
    VALUE("%d", g3 != 0);
    SAY(cudaStreamEndCapture(s, &g3));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    SAY(cudaEventRecord(e, s));
    SAY(cudaEventElapsedTime((float *)h, e, e));
    SAY(cudaEventRecordWithFlags(e, s, cudaEventRecordExternal));
    SAY(cudaStreamEndCapture(s, &g3));
    SAY(cudaGraphGetNodes(g3, NULL, &c));
    VALUE("%zu", c);
    // nodes
    SAY(cudaGraphGetNodes(g, NULL, &c));
    VALUE("%zu", c);
    c = 10;
    SAY(cudaGraphGetNodes(g, nn, &c));
    VALUE("%zu", c);
    c = 2;
    SAY(cudaGraphGetNodes(g, nn, &c));
    VALUE("%zu", c);
    SAY(cudaGraphGetRootNodes(g, NULL, &c));
    VALUE("%zu", c);
    cudaGraphNodeType ty;
    SAY(cudaGraphNodeGetType(nn[0], &ty));
    VALUE("%d", ty);
    cudaKernelNodeParams kp;
    SAY(cudaGraphKernelNodeGetParams(nn[1], &kp));
    SAY(cudaGraphKernelNodeGetParams(nn[0], &kp));
    VALUE("%u", kp.blockDim.x);
    SAY(cudaGraphAddDependencies(g, &nn[0], &nn[0], NULL, 1));
    SAY(cudaGraphAddDependencies(g, &nn[0], &nn[1], NULL, 1));
    SAY(cudaGraphAddDependencies(g, &nn[1], &nn[0], NULL, 1));
    cudaGraphExec_t y;
    SAY(cudaGraphInstantiate(&y, g, 0));
    SAY(cudaGraphRemoveDependencies(g, &nn[1], &nn[0], NULL, 1));
    kp.blockDim.x = 2048;
    SAY(cudaGraphKernelNodeSetParams(nn[0], &kp));
    SAY(cudaGraphExecKernelNodeSetParams(x, nn[0], &kp));
    kp.blockDim.x = 16;
    SAY(cudaGraphExecKernelNodeSetParams(x, nn[0], &kp));
    SAY(cudaGraphExecKernelNodeSetParams(x, nn[1], &kp));
    int v1 = 4, v2 = 5;
    void *three_args[] = { &d, &v1, &v2 };
    kp.kernelParams = three_args;
    kp.func = (void *)three;
    SAY(cudaGraphExecKernelNodeSetParams(x, nn[0], &kp));
    SAY(cudaGraphExecMemcpyNodeSetParams1D(x, nn[1], h, d, 128, cudaMemcpyDeviceToHost));
    SAY(cudaGraphExecMemcpyNodeSetParams1D(x, nn[1], d2, d, 128, cudaMemcpyDeviceToDevice));
    SAY(cudaGraphExecMemcpyNodeSetParams1D(x, nn[0], h, d, 128, cudaMemcpyDeviceToHost));
    unsigned on;
    SAY(cudaGraphNodeSetEnabled(x, nn[0], 0));
    SAY(cudaGraphNodeGetEnabled(x, nn[0], &on));
    VALUE("%u", on);
    SAY(cudaGraphNodeSetEnabled(x, nn[2 - 0], 0));
    SAY(cudaGraphAddMemcpyNodeToSymbol(&n, g, NULL, 0, sym, h, 256, 0, cudaMemcpyHostToDevice));
    SAY(cudaGraphAddMemcpyNodeToSymbol(&n, g, NULL, 0, sym, h, 260, 0, cudaMemcpyHostToDevice));
    cudaMemsetParams mp = {};
    mp.dst = d;
    mp.elementSize = 4;
    mp.width = 16;
    mp.height = 1;
    mp.value = 7;
    SAY(cudaGraphAddMemsetNode(&n2, g, NULL, 0, &mp));
    mp.elementSize = 3;
    SAY(cudaGraphAddMemsetNode(&n2, g, NULL, 0, &mp));
    mp.elementSize = 4;
    mp.width = 0;
    SAY(cudaGraphAddMemsetNode(&n2, g, NULL, 0, &mp));
    mp.width = 4096;
    SAY(cudaGraphAddMemsetNode(&n2, g, NULL, 0, &mp));
    mp.width = 4;
    mp.dst = h;
    SAY(cudaGraphAddMemsetNode(&n2, g, NULL, 0, &mp));
    mp.dst = (char *)d + 1;
    SAY(cudaGraphAddMemsetNode(&n2, g, NULL, 0, &mp));
    mp.dst = d;
    mp.value = 0x1234;
    mp.elementSize = 1;
    SAY(cudaGraphAddMemsetNode(&n2, g, NULL, 0, &mp));
    SAY(cudaGraphDestroyNode(n2));
    SAY(cudaGraphExecDestroy(x));
    SAY(cudaGraphDestroy(g));
    SAY(cudaGraphDestroy(NULL));
    SAY(cudaGraphExecDestroy(NULL));
    return 0;
}
