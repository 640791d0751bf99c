// Streams and events: what they are asked and told, callbacks, captures by hand, and the default stream of a thread, also
// when the program is compiled with one for each thread (queues.txt).
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
static int *device, back[8];

static void called(cudaStream_t stream, cudaError_t code, void *data)
{
    printf("called with %d: %s\n", *(int *)data, cudaGetErrorName(code));
}
static void host(void *data)
{
    printf("host function with %d\n", *(int *)data);
}

static void describe(const char *name, cudaStream_t stream)
{
    unsigned flags = 7;
    int priority = 7, device_of = 7;
    TELL(cudaStreamGetFlags(stream, &flags));
    TELL(cudaStreamGetPriority(stream, &priority));
#if CUDART_VERSION >= 12080
    TELL(cudaStreamGetDevice(stream, &device_of));
#else
    device_of = 0;
#endif
    printf("%s: flags %u, priority %d, device %d\n", name, flags, priority, device_of);
}

static void streams()
{
    cudaStream_t plain, apart, urgent, lazy;
    unsigned long long one = 0, two = 0, again = 0;
    static int number = 3;
    TELL(cudaStreamCreate(&plain));
    TELL(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
    TELL(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, -2));
    TELL(cudaStreamCreateWithPriority(&lazy, cudaStreamDefault, 5));
    describe("plain", plain);
    describe("apart", apart);
    describe("urgent", urgent);
    describe("lazy", lazy);
    describe("default", nullptr);
    describe("of all", cudaStreamLegacy);
    describe("of the thread", cudaStreamPerThread);
    TELL(cudaStreamGetId(plain, &one));
    TELL(cudaStreamGetId(apart, &two));
    TELL(cudaStreamGetId(plain, &again));
    printf("%d %d\n", one == again, one != two);
    TELL(cudaMemsetAsync(device, 0, sizeof back, plain));
    add<<<1, 8, 0, plain>>>(device, 4);
    TELL(cudaStreamAddCallback(plain, called, &number, 0));
    TELL(cudaLaunchHostFunc(plain, host, &number));
    TELL(cudaStreamSynchronize(plain));
    TELL(cudaStreamQuery(plain));
    cudaStreamAttrValue value = {}, got = {};
    value.syncPolicy = cudaSyncPolicyYield;
    for (cudaStream_t stream : { plain, (cudaStream_t)cudaStreamPerThread }) {
        TELL(cudaStreamSetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &value));
        TELL(cudaStreamGetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &got));
        printf("policy %d\n", (int)got.syncPolicy);
    }
    got = {};
    TELL(cudaStreamCopyAttributes(apart, plain));
    TELL(cudaStreamGetAttribute(apart, cudaStreamAttributeSynchronizationPolicy, &got));
    printf("policy %d\n", (int)got.syncPolicy);
    for (cudaStream_t stream : { plain, apart, urgent, lazy })
        TELL(cudaStreamDestroy(stream));
}

static void events()
{
    cudaEvent_t first, second, untimed;
    cudaStream_t stream, other;
    float ms = -1;
    TELL(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming | cudaEventBlockingSync));
    TELL(cudaEventCreate(&first));
    TELL(cudaEventCreate(&second));
    TELL(cudaStreamCreate(&stream));
    TELL(cudaStreamCreate(&other));
    TELL(cudaEventQuery(first));
    TELL(cudaEventElapsedTime(&ms, first, second));
    TELL(cudaEventRecord(first, stream));
    add<<<1, 8, 0, stream>>>(device, 1);
    TELL(cudaEventRecordWithFlags(second, stream, cudaEventRecordDefault));
    TELL(cudaEventRecord(untimed, stream));
    TELL(cudaStreamWaitEvent(other, untimed, 0));
    add<<<1, 8, 0, other>>>(device, 1);
    TELL(cudaEventSynchronize(second));
    TELL(cudaEventQuery(second));
    TELL(cudaEventElapsedTime(&ms, first, second));
    printf("%s\n", ms >= 0 ? "some time" : "no time");
    TELL(cudaEventElapsedTime(&ms, first, untimed));
    printf("left: %s\n", cudaGetErrorName(cudaGetLastError()));
    TELL(cudaDeviceSynchronize());
    for (cudaEvent_t event : { first, second, untimed })
        TELL(cudaEventDestroy(event));
    TELL(cudaStreamDestroy(stream));
    TELL(cudaStreamDestroy(other));
}

static void captures()
{
    cudaStream_t stream;
    cudaGraph_t graph, within;
    cudaGraphExec_t ready;
    cudaGraphNode_t first;
    const cudaGraphNode_t *after;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    unsigned long long number = 0;
    size_t count = 7;
    TELL(cudaStreamCreate(&stream));
    TELL(cudaThreadExchangeStreamCaptureMode(&mode));
    printf("mode %d before\n", (int)mode);
    TELL(cudaThreadExchangeStreamCaptureMode(&mode));
    printf("mode %d before\n", (int)mode);
    TELL(cudaStreamIsCapturing(stream, &status));
    printf("status %d\n", (int)status);
    TELL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    TELL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    add<<<1, 8, 0, stream>>>(device, 10);
    TELL(cudaStreamIsCapturing(stream, &status));
#if CUDART_VERSION >= 13000
    const cudaGraphEdgeData *edges;
    TELL(cudaStreamGetCaptureInfo(stream, &status, &number, &within, &after, &edges, &count));
#else
    TELL(cudaStreamGetCaptureInfo_v2(stream, &status, &number, &within, &after, &count));
#endif
    printf("status %d, %s, after %zu\n", (int)status, number ? "a number" : "no number", count);
    first = after[0];
    add<<<1, 4, 0, stream>>>(device, 100);
#if CUDART_VERSION >= 13000
    TELL(cudaStreamUpdateCaptureDependencies(stream, &first, nullptr, 1, cudaStreamAddCaptureDependencies));
    TELL(cudaStreamGetCaptureInfo(stream, &status, &number, &within, &after, &edges, &count));
#else
    TELL(cudaStreamUpdateCaptureDependencies(stream, &first, 1, cudaStreamAddCaptureDependencies));
    TELL(cudaStreamGetCaptureInfo_v2(stream, &status, &number, &within, &after, &count));
#endif
    printf("after %zu\n", count);
    add<<<1, 2, 0, stream>>>(device, 1000);
    TELL(cudaStreamEndCapture(stream, &graph));
    count = 0;
    TELL(cudaGraphGetNodes(graph, nullptr, &count));
    printf("%zu nodes, the same graph: %d\n", count, graph == within);
#if CUDART_VERSION >= 12030
    TELL(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    TELL(cudaMemsetAsync(device + 7, 0, 4, stream));
    TELL(cudaStreamEndCapture(stream, &graph));
    count = 0;
    TELL(cudaGraphGetRootNodes(graph, nullptr, &count));
    printf("%zu first nodes\n", count);
#endif
    TELL(cudaGraphInstantiate(&ready, graph, 0));
    TELL(cudaMemset(device, 0, sizeof back));
    TELL(cudaGraphLaunch(ready, stream));
    TELL(cudaMemcpyAsync(back, device, sizeof back, cudaMemcpyDeviceToHost, stream));
    TELL(cudaStreamSynchronize(stream));
    printf("%d %d %d %d\n", back[0], back[1], back[2], back[6]);
    TELL(cudaGraphExecDestroy(ready));
    TELL(cudaGraphDestroy(graph));
    TELL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    static int number_of_host = 9;
    TELL(cudaStreamAddCallback(stream, called, &number_of_host, 0));
    TELL(cudaStreamEndCapture(stream, &graph));
    printf("left: %s\n", cudaGetErrorName(cudaGetLastError()));
    TELL(cudaStreamDestroy(stream));
}

// What names no stream; with -default-stream per-thread it is the thread's own.
static void defaults()
{
    static int number = 5;
    cudaEvent_t event;
    cudaGraph_t graph;
    cudaStreamCaptureStatus status;
    int *later;
    TELL(cudaEventCreate(&event));
    TELL(cudaMemset(device, 0, sizeof back));
    TELL(cudaMemsetAsync(device, 0, 8));
    add<<<1, 8>>>(device, 6);
    TELL(cudaEventRecord(event));
    TELL(cudaStreamWaitEvent(0, event));
    TELL(cudaLaunchHostFunc(0, host, &number));
    TELL(cudaMallocAsync(&later, 64, 0));
    TELL(cudaMemcpyAsync(later, device, sizeof back, cudaMemcpyDeviceToDevice));
    TELL(cudaMemcpy(back, later, sizeof back, cudaMemcpyDeviceToHost));
    TELL(cudaFreeAsync(later, 0));
    TELL(cudaStreamSynchronize(0));
    TELL(cudaStreamQuery(0));
    printf("%d %d\n", back[0], back[7]);
    TELL(cudaStreamIsCapturing(cudaStreamPerThread, &status));
    TELL(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeThreadLocal));
    add<<<1, 8, 0, cudaStreamPerThread>>>(device, 1);
    TELL(cudaStreamEndCapture(cudaStreamPerThread, &graph));
    TELL(cudaGraphDestroy(graph));
    TELL(cudaEventDestroy(event));
}

int main()
{
    TELL(cudaMalloc(&device, sizeof back));
    streams();
    events();
    captures();
    defaults();
    TELL(cudaFree(device));
    printf("left: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("%d calls are done\n", done);
}
