// What CUDA's runtime answers to calls that are wrong, or nearly: what a capture forbids, and nodes of graphs.
// codes_captures.txt is what an H200 says (CUDA 13.0, driver 580.159, 2026-11-28).
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <functional>
#define SAY(call)                                                                                            \
    do {                                                                                                     \
        cudaError_t code = (call);                                                                           \
        printf("%3d %s: %s\n", (int)code, cudaGetErrorName(code), #call);                                    \
        cudaGetLastError();                                                                                  \
    } while (0)
#define VALUE(format, value) printf("    %s is " format "\n", #value, value)

__global__ void k(int *p)
{
    if (p)
        p[threadIdx.x] = 1;
}
__device__ int sym[64];
static int *d, *d2, *m, *h;
static cudaStream_t other;
static cudaEvent_t ev, evr;
static char area[8192];
static cudaGraph_t og;
static cudaGraphExec_t ox;
static void CUDART_CB host(void *) {}
int main()
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    cudaMalloc(&d, 4096);
    cudaMalloc(&d2, 4096);
    cudaMallocManaged(&m, 4096);
    cudaMallocHost(&h, 4096);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreate(&ev);
    cudaEventCreate(&evr);
    cudaEventRecord(evr, other);
    cudaStreamSynchronize(other);
    cudaGraphCreate(&og, 0);
    cudaGraphNode_t gn;
    cudaGraphAddEmptyNode(&gn, og, NULL, 0);
    cudaGraphInstantiate(&ox, og, 0);
    struct {
        const char *name;
        std::function<cudaError_t()> call;
    } all[] = {
#define C(x)                                                                                                 \
    {                                                                                                        \
#x, [&]() -> cudaError_t { return x; }                                                               \
    }
        C(cudaMalloc((void **)&area, 64)),
        C(cudaFree(NULL)),
        C(cudaFree(d2)),
        C(cudaMallocHost((void **)&area, 64)),
        C(cudaHostAlloc((void **)&area, 64, 0)),
        C(cudaFreeHost(NULL)),
        C(cudaMallocManaged((void **)&area, 64)),
        C(cudaMemcpy(d, h, 64, cudaMemcpyHostToDevice)),
        C(cudaMemcpy(d, d, 64, cudaMemcpyDeviceToDevice)),
        C(cudaMemset(d, 0, 64)),
        C(cudaMemcpyToSymbol(sym, h, 64)),
        C(cudaMemcpyAsync(d, h, 64, cudaMemcpyHostToDevice, other)),
        C(cudaMemcpyAsync(d, area, 64, cudaMemcpyHostToDevice, other)),
        C(cudaMemsetAsync(d, 0, 64, other)),
        C((k<<<1, 32, 0, other>>>(d), cudaGetLastError())),
        C((k<<<1, 32>>>(d), cudaGetLastError())),
        C((k<<<1, 32, 0, cudaStreamPerThread>>>(d), cudaGetLastError())),
        C(cudaStreamSynchronize(other)),
        C(cudaStreamQuery(other)),
        C(cudaDeviceSynchronize()),
        C(cudaEventQuery(evr)),
        C(cudaEventSynchronize(evr)),
        C(cudaEventRecord(ev, other)),
        C(cudaEventRecord(ev)),
        C(cudaStreamWaitEvent(other, evr, 0)),
        C(cudaEventCreate((cudaEvent_t *)&area)),
        C(cudaEventDestroy(NULL)),
        C(cudaStreamCreate((cudaStream_t *)&area)),
        C(cudaStreamCreateWithFlags((cudaStream_t *)&area, cudaStreamNonBlocking)),
        C(cudaHostRegister(area + 4096, 4096, 0)),
        C(cudaHostUnregister(area + 4096)),
        C(cudaMemGetInfo((size_t *)area, (size_t *)area + 1)),
        C(cudaGetDevice((int *)area)),
        C(cudaSetDevice(0)),
        C(cudaDeviceGetAttribute((int *)area, cudaDevAttrWarpSize, 0)),
        C(cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, 50)),
        C(cudaOccupancyMaxActiveBlocksPerMultiprocessor((int *)area, k, 32, 0)),
        C(cudaMallocAsync((void **)&area, 64, other)),
        C(cudaMallocArray((cudaArray_t *)&area, new cudaChannelFormatDesc(cudaCreateChannelDesc<float>()),
                          16)),
        C(cudaMemcpy2D(d, 64, h, 64, 64, 4, cudaMemcpyHostToDevice)),
        C(cudaLaunchHostFunc(other, host, NULL)),
        C(cudaGraphLaunch(ox, other)),
        C(cudaGraphLaunch(ox, 0)),
        C(cudaGraphInstantiate((cudaGraphExec_t *)&area, og, 0)),
        C(cudaDeviceSetLimit(cudaLimitStackSize, 2048)),
        C(cudaMemPrefetchAsync(m, 4096, cudaMemLocation{ cudaMemLocationTypeDevice, 0 }, 0, other)),
        C(cudaGetSymbolAddress((void **)&area, sym)),
        C(cudaPointerGetAttributes((cudaPointerAttributes *)area, d)),
        C(cudaDeviceGetDefaultMemPool((cudaMemPool_t *)&area, 0)),
        C(cudaMallocPitch((void **)&area, (size_t *)area + 2, 64, 4)),
    };
    for (auto &c : all) {
        printf("%-60.60s", c.name);
        for (int mode = 0; mode < 3; mode++)
            for (int non = 0; non < 2; non++) {
                cudaStream_t s;
                cudaGraph_t g = NULL;
                cudaStreamCreateWithFlags(&s, non);
                cudaGetLastError();
                cudaStreamBeginCapture(s, (cudaStreamCaptureMode)mode);
                k<<<1, 32, 0, s>>>(d);
                cudaError_t r = c.call();
                cudaGetLastError();
                cudaError_t e = cudaStreamEndCapture(s, &g);
                cudaGetLastError();
                printf(" %3d/%3d", r, e);
                if (g)
                    cudaGraphDestroy(g);
                cudaStreamDestroy(s);
                cudaDeviceSynchronize();
                cudaGetLastError();
            }
        printf("\n");
    }
    // graph nodes: what is checked when they are added
    cudaGraph_t g;
    cudaGraphNode_t n, n2;
    cudaGraphCreate(&g, 0);
    SAY(cudaGraphAddMemcpyNode1D(&n, g, NULL, 0, d, h, 5000, cudaMemcpyHostToDevice));
    SAY(cudaGraphAddMemcpyNode1D(&n, g, NULL, 0, d, h, 64, (cudaMemcpyKind)9));
    SAY(cudaGraphAddMemcpyNode1D(&n, g, NULL, 0, NULL, h, 64, cudaMemcpyHostToDevice));
    SAY(cudaGraphAddMemcpyNode1D(&n, g, NULL, 0, d, h, 64, cudaMemcpyDeviceToHost));
    SAY(cudaGraphAddMemcpyNode1D(&n, g, NULL, 0, d, h, 0, cudaMemcpyHostToDevice));
    SAY(cudaGraphAddMemcpyNode1D(&n, g, NULL, 0, d, area, 64, cudaMemcpyHostToDevice));
    SAY(cudaGraphAddMemcpyNode1D(&n, g, NULL, 0, d, h, 64, cudaMemcpyDefault));
    cudaHostNodeParams hp = { NULL, NULL };
    SAY(cudaGraphAddHostNode(&n2, g, NULL, 0, &hp));
    hp.fn = host;
    SAY(cudaGraphAddHostNode(&n2, g, NULL, 0, &hp));
    SAY(cudaGraphAddHostNode(NULL, g, NULL, 0, &hp));
    SAY(cudaGraphAddHostNode(&n2, NULL, NULL, 0, &hp));
    SAY(cudaGraphAddHostNode(&n2, g, NULL, 0, NULL));
    void *args[] = { &d };
    cudaKernelNodeParams kp = {};
    kp.func = (void *)k;
    kp.gridDim = 1;
    kp.blockDim = 32;
    kp.kernelParams = args;
    SAY(cudaGraphAddKernelNode(&n, g, NULL, 0, &kp));
    kp.blockDim = 0;
    SAY(cudaGraphAddKernelNode(&n2, g, NULL, 0, &kp));
    kp.blockDim = 1025;
    SAY(cudaGraphAddKernelNode(&n2, g, NULL, 0, &kp));
    kp.blockDim = 32;
    kp.sharedMemBytes = 60000;
    SAY(cudaGraphAddKernelNode(&n2, g, NULL, 0, &kp));
    kp.sharedMemBytes = 0;
    kp.func = NULL;
    SAY(cudaGraphAddKernelNode(&n2, g, NULL, 0, &kp));
    kp.func = (void *)main;
    SAY(cudaGraphAddKernelNode(&n2, g, NULL, 0, &kp));
    kp.func = (void *)k;
    kp.kernelParams = NULL;
    SAY(cudaGraphAddKernelNode(&n2, g, NULL, 0, &kp));
    SAY(cudaGraphAddEventRecordNode(&n2, g, NULL, 0, NULL));
    SAY(cudaGraphAddEmptyNode(&n2, g, &n, 0));
    SAY(cudaGraphAddEmptyNode(&n2, g, NULL, 1));
    n2 = NULL;
    SAY(cudaGraphAddEmptyNode(&n, g, &n2, 1));
    cudaGraphNode_t twice[] = { n, n };
    SAY(cudaGraphAddEmptyNode(&n2, g, twice, 2));
    SAY(cudaGraphAddChildGraphNode(&n2, g, NULL, 0, NULL));
    SAY(cudaGraphAddDependencies(g, &n, &n2, NULL, 1));
    SAY(cudaGraphAddDependencies(g, &n, &n2, NULL, 1));
    cudaGraphExec_t x;
    SAY(cudaGraphInstantiate(&x, g, 99));
    SAY(cudaGraphInstantiate(NULL, g, 0));
    SAY(cudaGraphInstantiate(&x, NULL, 0));
    SAY(cudaGraphInstantiate(&x, g, 0));
    SAY(cudaGraphLaunch(NULL, 0));
    SAY(cudaGraphUpload(x, other));
    SAY(cudaGraphExecUpdate(x, g, NULL));
    unsigned long long fl;
    SAY(cudaGraphExecGetFlags(x, &fl));
    VALUE("%llu", fl);
    unsigned on;
    SAY(cudaGraphNodeGetEnabled(x, n2, &on));
    SAY(cudaGraphNodeSetEnabled(x, NULL, 1));
    cudaGraphNodeType t;
    SAY(cudaGraphNodeGetType(NULL, &t));
    SAY(cudaGraphDebugDotPrint(g, "/nowhere/x", 0));
    cudaGraph_t cl;
    SAY(cudaGraphClone(&cl, g));
    SAY(cudaGraphNodeFindInClone(&n, n2, cl));
    SAY(cudaGraphNodeFindInClone(&n, n2, g));
    SAY(cudaGraphDestroyNode(NULL));
    cudaUserObject_t uo;
    SAY(cudaUserObjectCreate(&uo, h, host, 1, 0));
    SAY(cudaUserObjectCreate(&uo, h, host, 1, cudaUserObjectNoDestructorSync));
    SAY(cudaUserObjectCreate(&uo, h, NULL, 1, 1));
    SAY(cudaUserObjectCreate(&uo, h, host, 0, 1));
    SAY(cudaUserObjectRetain(uo, 1));
    SAY(cudaGraphRetainUserObject(g, uo, 1, cudaGraphUserObjectMove));
    SAY(cudaGraphReleaseUserObject(g, uo, 1));
    SAY(cudaUserObjectRelease(uo, 1));
    cudaMemPool_t p;
    SAY(cudaDeviceGetDefaultMemPool(&p, 3));
    SAY(cudaDeviceSetMemPool(3, NULL));
    SAY(cudaDeviceSetMemPool(0, NULL));
    SAY(cudaDeviceGetGraphMemAttribute(3, cudaGraphMemAttrUsedMemCurrent, &fl));
    SAY(cudaDeviceGraphMemTrim(4));
    // events recorded in a capture that has ended
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaEvent_t e;
    cudaEventCreate(&e);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    cudaEventRecord(e, s);
    SAY(cudaEventQuery(e));
    cudaStreamCaptureStatus st;
    cudaStreamIsCapturing(s, &st);
    VALUE("%d", st);
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaEventQuery(e));
    SAY(cudaEventSynchronize(e));
    SAY(cudaStreamWaitEvent(other, e, 0));
    SAY(cudaEventRecord(e, s));
    SAY(cudaEventSynchronize(e));
    SAY(cudaEventQuery(e));
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    cudaEventRecord(e, s);
    SAY(cudaEventSynchronize(e));
    cudaStreamIsCapturing(s, &st);
    VALUE("%d", st);
    SAY(cudaEventDestroy(e));
    SAY(cudaStreamEndCapture(s, &g));
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    SAY(cudaStreamWaitEvent(s, evr, 0));
    SAY(cudaStreamWaitEvent(s, ev, 0));
    SAY(cudaStreamEndCapture(s, &g));
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    SAY(cudaStreamWaitEvent(s, evr, cudaEventWaitExternal));
    SAY(cudaStreamEndCapture(s, &g));
    size_t c;
    cudaGraphGetNodes(g, NULL, &c);
    VALUE("%zu", c);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    SAY(cudaStreamGetPriority(s, (int *)area));
    SAY(cudaStreamBeginCapture(other, cudaStreamCaptureModeRelaxed));
    cudaEventRecord(ev, s);
    SAY(cudaStreamWaitEvent(other, ev, 0));
    SAY(cudaStreamEndCapture(other, &g));
    SAY(cudaStreamEndCapture(s, &g));
    unsigned long long id;
    cudaGraph_t cg;
    const cudaGraphNode_t *dep;
    const cudaGraphEdgeData *ed;
    size_t nd;
    SAY(cudaStreamGetCaptureInfo(s, &st, &id, &cg, &dep, &ed, &nd));
    VALUE("%d", st);
    SAY(cudaStreamGetCaptureInfo(0, &st, &id));
    SAY(cudaStreamIsCapturing(0, &st));
    SAY(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, 1));
    SAY(cudaFreeAsync(area, s));
    SAY(cudaFreeAsync(h, s));
    SAY(cudaFreeAsync(d + 1, s));
    SAY(cudaFree(d + 1));
    SAY(cudaFree(d));
    SAY(cudaFree(d));
    SAY(cudaFreeHost(d2));
    SAY(cudaFreeHost(h + 1));
    SAY(cudaFree(m));
    cudaEvent_t placed, fresh;
    cudaEventCreate(&placed);
    cudaEventCreate(&fresh);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    cudaEventRecord(placed, s);
    SAY(cudaStreamWaitEvent(s, fresh, 0));
    SAY(cudaStreamEndCapture(s, &g));
    float ms;
    SAY(cudaEventQuery(placed));
    SAY(cudaStreamWaitEvent(other, placed, 0));
    SAY(cudaEventElapsedTime(&ms, placed, placed));
    void *piece;
    cudaMallocAsync(&piece, 64, other);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    SAY(cudaFreeAsync(piece, other));
    SAY(cudaStreamEndCapture(s, &g));
    return 0;
}
