// Memory of the host and of both sides: page-locked, registered, managed, of pools; and what is asked about it (places.txt).
#include <cstdio>
#include <cstdlib>
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

__global__ void twice(int *to, const int *from, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        to[i] = 2 * from[i];
}
struct numbers {
    int *all;
    int count;
};
__global__ void twice_in(numbers in)
{
    for (int i = threadIdx.x; i < in.count; i += blockDim.x)
        in.all[i] *= 2;
}
__device__ int of_module[16];

static void describe(const char *name, const void *pointer)
{
    cudaPointerAttributes is;
    memset(&is, 1, sizeof is);
    TELL(cudaPointerGetAttributes(&is, pointer));
    printf("%s: type %d, device %d, for the device %d, for the host %d\n", name, (int)is.type, is.device,
           is.devicePointer != nullptr, is.hostPointer == pointer);
}

static void locked()
{
    enum { N = 300 };
    int *own, *mapped, *on_device, *plain = (int *)aligned_alloc(4096, 4096), here;
    unsigned flags = 0;
    TELL(cudaHostAlloc(&own, N * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
    TELL(cudaHostGetFlags(&flags, own));
    printf("mapped %d, portable %d, write-combined %d\n", !!(flags & cudaHostAllocMapped),
           !!(flags & cudaHostAllocPortable), !!(flags & cudaHostAllocWriteCombined));
    TELL(cudaHostGetDevicePointer(&on_device, own, 0));
    describe("of cudaHostAlloc", own);
    TELL(cudaHostRegister(plain, 4096, cudaHostRegisterMapped));
    TELL(cudaHostRegister(plain, 4096, cudaHostRegisterDefault));
    TELL(cudaHostGetDevicePointer(&mapped, plain, 0));
    describe("registered", plain);
    for (int i = 0; i < N; i++)
        plain[i] = i;
    twice<<<1, 64>>>(on_device, mapped, N);
    TELL(cudaDeviceSynchronize());
    printf("%d %d\n", own[1], own[N - 1]);
    twice_in<<<1, 64>>>({ plain, N }); // its own address does as well, also in a structure
    TELL(cudaDeviceSynchronize());
    printf("%d\n", plain[N - 1]);
    TELL(cudaHostUnregister(plain));
    TELL(cudaHostUnregister(plain));
    TELL(cudaHostGetDevicePointer(&mapped, plain, 0));
    TELL(cudaHostGetFlags(&flags, plain));
    describe("on the stack", &here);
    describe("nothing", nullptr);
    TELL(cudaFreeHost(own));
    TELL(cudaFreeHost(nullptr));
    printf("left: %s\n", cudaGetErrorName(cudaGetLastError()));
    free(plain);
}

static void managed()
{
    enum { N = 1024 };
    int *both, mostly = 7, last = 7, where[2] = { 7, 7 }, *device;
    size_t sizes[] = { sizeof mostly, sizeof last };
    void *data[] = { &mostly, &last };
    cudaMemRangeAttribute asked[] = { cudaMemRangeAttributeReadMostly,
                                      cudaMemRangeAttributeLastPrefetchLocation };
    cudaMemLocation gpu = {};
    cudaStream_t stream;
    gpu.type = cudaMemLocationTypeDevice;
    TELL(cudaStreamCreate(&stream));
    TELL(cudaMallocManaged(&both, N * sizeof(int)));
    describe("managed", both);
    TELL(cudaStreamAttachMemAsync(stream, both, 0, cudaMemAttachSingle));
    TELL(cudaStreamSynchronize(stream));
    for (int i = 0; i < N; i++)
        both[i] = i;
#if CUDART_VERSION >= 13000
    TELL(cudaMemAdvise(both, N * sizeof(int), cudaMemAdviseSetReadMostly, gpu));
    TELL(cudaMemPrefetchAsync(both, N * sizeof(int), gpu, 0, stream));
#else
    TELL(cudaMemAdvise(both, N * sizeof(int), cudaMemAdviseSetReadMostly, 0));
    TELL(cudaMemPrefetchAsync(both, N * sizeof(int), 0, stream));
#endif
    TELL(cudaMemRangeGetAttributes(data, sizes, asked, 2, both, N * sizeof(int)));
    TELL(cudaMemRangeGetAttribute(where, sizeof where, cudaMemRangeAttributeAccessedBy, both,
                                  N * sizeof(int)));
    printf("read mostly %d, fetched to %d, accessed by %d %d\n", mostly, last, where[0], where[1]);
    twice<<<1, 64, 0, stream>>>(both, both, N);
    TELL(cudaStreamSynchronize(stream));
    printf("%d\n", both[N - 1]);
    TELL(cudaMalloc(&device, 64));
    describe("of cudaMalloc, in the middle", device + 8);
#if CUDART_VERSION >= 13000
    printf("%d\n", (int)cudaMemAdvise(device, 64, cudaMemAdviseSetReadMostly, gpu));
#else
    printf("%d\n", (int)cudaMemAdvise(device, 64, cudaMemAdviseSetReadMostly, 0));
#endif
    printf("left: %s\n", cudaGetErrorName(cudaGetLastError()));
    TELL(cudaFree(device));
    TELL(cudaFree(both));
    TELL(cudaStreamDestroy(stream));
}

static void pools()
{
    cudaMemPool_t pool, before, now;
    cudaMemPoolProps how = {};
    cudaMemAccessDesc access = {};
    cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
    cudaMemLocation gpu = {};
    unsigned long long keep = 1 << 20, used = 7, high = 7;
    int *a, *b, follow = 7, back[64];
    cudaStream_t stream;
    gpu.type = cudaMemLocationTypeDevice;
    how.allocType = cudaMemAllocationTypePinned;
    how.location = gpu;
    access.location = gpu;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    TELL(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    TELL(cudaMemPoolCreate(&pool, &how));
    TELL(cudaMemPoolSetAccess(pool, &access, 1));
    TELL(cudaMemPoolGetAccess(&flags, pool, &gpu));
    TELL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    TELL(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, &follow));
    TELL(cudaDeviceGetMemPool(&before, 0));
    TELL(cudaDeviceSetMemPool(0, pool));
    TELL(cudaDeviceGetMemPool(&now, 0));
    printf("access %d, follows %d, current %d\n", (int)flags, follow, now == pool);
    TELL(cudaMallocAsync(&a, 64 * sizeof(int), stream));
    TELL(cudaMallocFromPoolAsync(&b, 64 * sizeof(int), pool, stream));
    TELL(cudaMemsetAsync(a, 1, 64 * sizeof(int), stream));
    twice<<<1, 64, 0, stream>>>(b, a, 64);
    TELL(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    TELL(cudaMemcpyAsync(back, b, sizeof back, cudaMemcpyDeviceToHost, stream));
    TELL(cudaFreeAsync(a, stream));
    TELL(cudaFreeAsync(b, stream));
    TELL(cudaStreamSynchronize(stream));
    printf("%x, %s used\n", back[63], used >= sizeof back * 2 ? "both" : "not both");
    TELL(cudaMemPoolTrimTo(pool, 0));
    TELL(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    TELL(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high));
    printf("%llu used, %s at most\n", used, high >= sizeof back * 2 ? "both" : "not both");
    high = 0;
    TELL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high));
    TELL(cudaDeviceSetMemPool(0, before));
    TELL(cudaMemPoolDestroy(pool));
    TELL(cudaStreamDestroy(stream));
}

static void amounts()
{
    size_t before, with, after, all, symbol = 0;
    void *large, *address = nullptr;
    TELL(cudaMemGetInfo(&before, &all));
    TELL(cudaMalloc(&large, 256 << 20));
    TELL(cudaMemGetInfo(&with, &all));
    TELL(cudaFree(large));
    TELL(cudaMemGetInfo(&after, &all));
    printf("%s while it is there, %s after\n", before >= with + (256 << 20) ? "less" : "as much",
           after == before ? "as before" : "not as before");
    TELL(cudaGetSymbolAddress(&address, of_module));
    TELL(cudaGetSymbolSize(&symbol, of_module));
    printf("%zu bytes\n", symbol);
    describe("a variable", address);
    TELL(cudaMalloc(&large, (size_t)1 << 60));
    TELL(cudaMalloc(&large, 0));
    printf("left: %s, %d\n", cudaGetErrorName(cudaGetLastError()), large == nullptr);
}

int main()
{
    locked();
    managed();
    pools();
    amounts();
    printf("%d calls are done\n", done);
}
