// Graphs node by node: each type of node is added, asked, changed in the graph and in what was made of it (nodes.txt).
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

// Calls that are refused are shown, and how many are not.
static int done;
static void tell(const char *call, cudaError_t code)
{
    done += code == cudaSuccess;
    if (code != cudaSuccess)
        printf("%s: %s\n", call, cudaGetErrorName(code));
}
#define TELL(call) tell(#call, call)

__global__ void add(int *to, int by)
{
    to[threadIdx.x] += by;
}
__device__ int variable[4] = { 1, 2, 3, 4 };
static int *device, host[8], back[8], calls;
static cudaStream_t stream;

static void called(void *by)
{
    calls += *(int *)by;
}

// Runs it on eight zeroes.
static void run(const char *name, cudaGraphExec_t ready)
{
    cudaMemsetAsync(device, 0, sizeof back, stream);
    TELL(cudaGraphLaunch(ready, stream));
    cudaMemcpyAsync(back, device, sizeof back, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    printf("%s:", name);
    for (int value : back)
        printf(" %d", value);
    printf(", %d calls\n", calls);
    calls = 0;
}

static void kernels()
{
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphNode_t first, second, empty;
    int by = 5;
    void *arguments[] = { &device, &by };
    cudaKernelNodeParams how = {}, is = {};
    how.func = (void *)add;
    how.gridDim = 1;
    how.blockDim = 8;
    how.kernelParams = arguments;
    TELL(cudaGraphCreate(&graph, 0));
    TELL(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &how));
    by = 100;
    how.blockDim = 4;
    TELL(cudaGraphAddKernelNode(&second, graph, &first, 1, &how));
    TELL(cudaGraphAddEmptyNode(&empty, graph, &second, 1));
    TELL(cudaGraphKernelNodeGetParams(second, &is));
    printf("%u blocks of %u, by %d\n", is.gridDim.x, is.blockDim.x, *(int *)is.kernelParams[1]);
    TELL(cudaGraphInstantiateWithFlags(&ready, graph, 0));
    run("kernels", ready);
    by = 7;
    TELL(cudaGraphKernelNodeSetParams(second, &how));
    run("as it was", ready);
    TELL(cudaGraphExecKernelNodeSetParams(ready, second, &how));
    run("changed", ready);
    cudaKernelNodeAttrValue value = {}, got = {};
    value.cooperative = 1;
    TELL(cudaGraphKernelNodeSetAttribute(second, cudaKernelNodeAttributeCooperative, &value));
    TELL(cudaGraphKernelNodeCopyAttributes(first, second));
    TELL(cudaGraphKernelNodeGetAttribute(first, cudaKernelNodeAttributeCooperative, &got));
    printf("cooperative %d\n", got.cooperative);
    unsigned on = 7;
    TELL(cudaGraphNodeSetEnabled(ready, second, 0));
    TELL(cudaGraphNodeGetEnabled(ready, second, &on));
    run("without the second", ready);
    printf("%u\n", on);
    TELL(cudaGraphExecDestroy(ready));
    cudaGraph_t copy;
    cudaGraphNode_t there;
    TELL(cudaGraphClone(&copy, graph));
    TELL(cudaGraphNodeFindInClone(&there, second, copy));
    TELL(cudaGraphDestroyNode(there));
    size_t count = 0;
    TELL(cudaGraphGetNodes(copy, nullptr, &count));
    cudaGraphInstantiateParams make = {};
    unsigned long long flags = 7;
    make.flags = cudaGraphInstantiateFlagAutoFreeOnLaunch;
    make.result_out = cudaGraphInstantiateError;
    TELL(cudaGraphInstantiateWithParams(&ready, copy, &make));
    TELL(cudaGraphExecGetFlags(ready, &flags));
    printf("%zu nodes, result %d, flags %llu\n", count, (int)make.result_out, flags);
    TELL(cudaGraphUpload(ready, stream));
    run("the clone", ready);
    TELL(cudaGraphExecDestroy(ready));
    TELL(cudaGraphDestroy(copy));
    TELL(cudaGraphDestroy(graph));
}

static void copies()
{
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphNode_t fill, line, box, to, from;
    cudaMemsetParams eights = {}, is = {};
    cudaMemcpy3DParms how = {}, got = {};
    int out[4] = {}, other[4] = {};
    for (int i = 0; i < 8; i++)
        host[i] = i + 1;
    eights.dst = device;
    eights.value = 8;
    eights.elementSize = 4;
    eights.width = 8;
    eights.height = 1;
    how.srcPtr = make_cudaPitchedPtr(host, sizeof host, sizeof host, 1);
    how.dstPtr = make_cudaPitchedPtr(device, sizeof host, sizeof host, 1);
    how.dstPos = make_cudaPos(16, 0, 0);
    how.extent = make_cudaExtent(8, 1, 1);
    how.kind = cudaMemcpyHostToDevice;
    TELL(cudaGraphCreate(&graph, 0));
    TELL(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &eights));
    TELL(cudaGraphAddMemcpyNode1D(&line, graph, &fill, 1, device, host, 8, cudaMemcpyHostToDevice));
    TELL(cudaGraphAddMemcpyNode(&box, graph, &line, 1, &how));
    TELL(cudaGraphAddMemcpyNodeToSymbol(&to, graph, &box, 1, variable, host + 4, 8, 8,
                                        cudaMemcpyHostToDevice));
    TELL(
        cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, out, variable, 16, 0, cudaMemcpyDeviceToHost));
    TELL(cudaGraphMemsetNodeGetParams(fill, &is));
    TELL(cudaGraphMemcpyNodeGetParams(box, &got));
    printf("%u in %zu elements of %u; %zu bytes at %zu\n", is.value, is.width, is.elementSize,
           got.extent.width, got.dstPos.x);
    TELL(cudaGraphInstantiate(&ready, graph, 0));
    run("copies", ready);
    printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
    eights.value = 6;
    how.dstPos.x = 24;
    TELL(cudaGraphExecMemsetNodeSetParams(ready, fill, &eights));
    TELL(cudaGraphExecMemcpyNodeSetParams(ready, box, &how));
    TELL(cudaGraphExecMemcpyNodeSetParams1D(ready, line, device, host + 2, 8, cudaMemcpyHostToDevice));
    TELL(cudaGraphExecMemcpyNodeSetParamsToSymbol(ready, to, variable, host, 8, 0, cudaMemcpyHostToDevice));
    TELL(cudaGraphExecMemcpyNodeSetParamsFromSymbol(ready, from, other, variable, 8, 0,
                                                    cudaMemcpyDeviceToHost));
    run("changed", ready);
    printf("%d %d %d %d\n", other[0], other[1], other[2], other[3]);
    TELL(cudaGraphExecDestroy(ready));
    eights.value = 4;
    how.dstPos.x = 0;
    TELL(cudaGraphMemsetNodeSetParams(fill, &eights));
    TELL(cudaGraphMemcpyNodeSetParams(box, &how));
    TELL(cudaGraphMemcpyNodeSetParams1D(line, device + 2, host, 4, cudaMemcpyHostToDevice));
    TELL(cudaGraphMemcpyNodeSetParamsToSymbol(to, variable, host + 6, 4, 12, cudaMemcpyHostToDevice));
    TELL(cudaGraphMemcpyNodeSetParamsFromSymbol(from, out, variable, 4, 12, cudaMemcpyDeviceToHost));
    TELL(cudaGraphInstantiate(&ready, graph, 0));
    run("made anew", ready);
    printf("%d\n", out[0]);
    TELL(cudaGraphExecDestroy(ready));
    TELL(cudaGraphDestroy(graph));
}

static void others()
{
    static int one = 1, ten = 10, hundred = 100;
    cudaGraph_t graph, child, other, inner;
    cudaGraphExec_t ready;
    cudaGraphNode_t call, record, wait, nested, kernel, found[2];
    cudaGraphNodeType type;
    cudaEvent_t a, b, got;
    cudaHostNodeParams how = {}, is = {};
    int by = 3;
    void *arguments[] = { &device, &by };
    cudaKernelNodeParams what = {};
    what.func = (void *)add;
    what.gridDim = 1;
    what.blockDim = 8;
    what.kernelParams = arguments;
    how.fn = called;
    how.userData = &one;
    TELL(cudaEventCreate(&a));
    TELL(cudaEventCreate(&b));
    TELL(cudaGraphCreate(&child, 0));
    TELL(cudaGraphAddKernelNode(&kernel, child, nullptr, 0, &what));
    TELL(cudaGraphCreate(&other, 0));
    by = 30;
    TELL(cudaGraphAddKernelNode(&kernel, other, nullptr, 0, &what));
    TELL(cudaGraphCreate(&graph, 0));
    TELL(cudaGraphAddHostNode(&call, graph, nullptr, 0, &how));
    TELL(cudaGraphAddEventRecordNode(&record, graph, &call, 1, a));
    TELL(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, a));
    TELL(cudaGraphAddChildGraphNode(&nested, graph, &wait, 1, child));
    TELL(cudaGraphChildGraphNodeGetGraph(nested, &inner));
    TELL(cudaGraphHostNodeGetParams(call, &is));
    printf("%d\n", is.fn == called && is.userData == &one);
    TELL(cudaGraphEventRecordNodeGetEvent(record, &got));
    printf("%d\n", got == a);
    TELL(cudaGraphEventWaitNodeGetEvent(wait, &got));
    printf("%d\n", got == a);
    for (cudaGraphNode_t node : { call, record, wait, nested, kernel }) {
        TELL(cudaGraphNodeGetType(node, &type));
        printf("type %d\n", (int)type);
    }
    TELL(cudaGraphInstantiate(&ready, graph, 0));
    run("others", ready);
    how.userData = &ten;
    TELL(cudaGraphExecHostNodeSetParams(ready, call, &how));
    TELL(cudaGraphExecEventRecordNodeSetEvent(ready, record, b));
    TELL(cudaGraphExecEventWaitNodeSetEvent(ready, wait, b));
    TELL(cudaGraphExecChildGraphNodeSetParams(ready, nested, other));
    run("changed", ready);
    TELL(cudaGraphExecDestroy(ready));
    how.userData = &hundred;
    TELL(cudaGraphHostNodeSetParams(call, &how));
    TELL(cudaGraphEventRecordNodeSetEvent(record, b));
    TELL(cudaGraphEventWaitNodeSetEvent(wait, b));
    TELL(cudaGraphInstantiate(&ready, graph, 0));
    run("made anew", ready);
    size_t count = 2;
#if CUDART_VERSION >= 13000
    cudaGraphEdgeData edges[2];
    TELL(cudaGraphNodeGetDependencies(nested, found, edges, &count));
    printf("%zu before, %d\n", count, found[0] == wait);
    count = 2;
    TELL(cudaGraphNodeGetDependentNodes(call, found, edges, &count));
    printf("%zu after, %d\n", count, found[0] == record);
    TELL(cudaGraphRemoveDependencies(graph, &record, &wait, nullptr, 1));
    TELL(cudaGraphAddDependencies(graph, &call, &wait, nullptr, 1));
#else
    TELL(cudaGraphNodeGetDependencies(nested, found, &count));
    printf("%zu before, %d\n", count, found[0] == wait);
    count = 2;
    TELL(cudaGraphNodeGetDependentNodes(call, found, &count));
    printf("%zu after, %d\n", count, found[0] == record);
    TELL(cudaGraphRemoveDependencies(graph, &record, &wait, 1));
    TELL(cudaGraphAddDependencies(graph, &call, &wait, 1));
#endif
    count = 0;
    TELL(cudaGraphGetRootNodes(graph, nullptr, &count));
    printf("%zu first\n", count);
    TELL(cudaGraphExecDestroy(ready));
    for (cudaGraph_t g : { graph, child, other })
        TELL(cudaGraphDestroy(g));
    TELL(cudaEventDestroy(a));
    TELL(cudaEventDestroy(b));
}

static void any()
{
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphNode_t take, use, give;
    cudaGraphNodeParams how = {};
    cudaMemAllocNodeParams took = {};
    int by = 2;
    void *arguments[] = { &device, &by }, *there;
    TELL(cudaGraphCreate(&graph, 0));
    how.type = cudaGraphNodeTypeMemAlloc;
    how.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    how.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    how.alloc.bytesize = 256;
#if CUDART_VERSION >= 13000
    TELL(cudaGraphAddNode(&take, graph, nullptr, nullptr, 0, &how));
#else
    TELL(cudaGraphAddNode(&take, graph, nullptr, 0, &how));
#endif
    there = how.alloc.dptr;
    TELL(cudaGraphMemAllocNodeGetParams(take, &took));
    printf("%zu bytes, %d\n", took.bytesize, took.dptr == there && there);
    how = {};
    how.type = cudaGraphNodeTypeKernel;
    how.kernel.func = (void *)add;
    how.kernel.gridDim = 1;
    how.kernel.blockDim = 8;
    how.kernel.kernelParams = arguments;
#if CUDART_VERSION >= 13000
    TELL(cudaGraphAddNode(&use, graph, &take, nullptr, 1, &how));
#else
    TELL(cudaGraphAddNode(&use, graph, &take, 1, &how));
#endif
    TELL(cudaGraphAddMemFreeNode(&give, graph, &use, 1, there));
    void *gone = nullptr;
    TELL(cudaGraphMemFreeNodeGetParams(give, &gone));
    printf("%d\n", gone == there);
    TELL(cudaGraphInstantiate(&ready, graph, 0));
    run("of any type", ready);
    by = 9;
    TELL(cudaGraphExecNodeSetParams(ready, use, &how));
    run("changed", ready);
    by = 4;
    TELL(cudaGraphNodeSetParams(use, &how));
    cudaGraphExecUpdateResultInfo info;
    TELL(cudaGraphExecUpdate(ready, graph, &info));
    TELL(cudaGraphExecDestroy(ready));
    TELL(cudaDeviceGraphMemTrim(0));
    unsigned long long bytes = 0;
    TELL(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &bytes));
    TELL(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &bytes));
    TELL(cudaGraphDestroy(graph));
}

static void gone(void *object)
{
    printf("object %d goes\n", *(int *)object);
}

static void objects()
{
    static int number = 42;
    cudaUserObject_t object;
    cudaGraph_t graph;
    TELL(cudaGraphCreate(&graph, 0));
    TELL(cudaUserObjectCreate(&object, &number, gone, 1, cudaUserObjectNoDestructorSync));
    TELL(cudaUserObjectRetain(object, 1));
    TELL(cudaGraphRetainUserObject(graph, object, 2, 0));
    TELL(cudaUserObjectRelease(object, 2));
    TELL(cudaGraphReleaseUserObject(graph, object, 1));
    TELL(cudaGraphDestroy(graph));
    cudaDeviceSynchronize();
}

int main()
{
    TELL(cudaMalloc(&device, sizeof back));
    TELL(cudaStreamCreate(&stream));
    kernels();
    copies();
    others();
    any();
    objects();
    TELL(cudaStreamDestroy(stream));
    TELL(cudaFree(device));
    printf("left: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("%d calls are done\n", done);
}
