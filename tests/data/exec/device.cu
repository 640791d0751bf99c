// What programs ask of a device and of functions, and what they set: properties, limits, caches, peers, occupancy
// (device.txt). Nothing that differs from GPU to GPU is printed.
#include <cstdio>
#include <cstring>
#include <cuda_profiler_api.h>
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

__global__ void add(float *to, float by, short times)
{
    extern __shared__ float part[];
    part[threadIdx.x] = by * times;
    to[threadIdx.x] += part[threadIdx.x];
}

static void devices()
{
    int count, device = 7, chosen = 7, value, least, most, other, runtime, driver, valid[] = { 0 };
    char bus[32] = "";
    unsigned flags = 99;
    cudaDeviceProp properties, wanted = {};
    TELL(cudaInitDevice(0, 0, 0));
    TELL(cudaGetDeviceCount(&count));
    TELL(cudaSetValidDevices(valid, 1));
    TELL(cudaSetDevice(0));
    TELL(cudaSetDevice(count));
    TELL(cudaGetDevice(&device));
    TELL(cudaGetDeviceProperties(&properties, 0));
    wanted.major = properties.major;
    TELL(cudaChooseDevice(&chosen, &wanted));
    TELL(cudaSetDeviceFlags(cudaDeviceScheduleYield));
    TELL(cudaGetDeviceFlags(&flags));
    printf("device %d of more than %d, chosen %d, flags %u\n", device, count > 0 ? 0 : count, chosen,
           flags & cudaDeviceScheduleMask);
    TELL(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    TELL(cudaDeviceGetByPCIBusId(&other, bus));
    TELL(cudaDeviceGetByPCIBusId(&value, "ffff:ff:1f.0"));
    printf("a name of %zu letters is that of device %d\n", strlen(bus), other);
    TELL(cudaRuntimeGetVersion(&runtime));
    TELL(cudaDriverGetVersion(&driver));
    printf("runtime %s, driver %s\n",
           runtime / 1000 == CUDART_VERSION / 1000 ? "as built for" : "of another version",
           driver >= runtime ? "as new" : "older");
    TELL(cudaDeviceGetStreamPriorityRange(&least, &most));
    printf("priorities %d to %s\n", least, most < least ? "less" : "no less");
    static const struct {
        const char *name;
        cudaDeviceAttr attribute;
        size_t value;
    } same[] = {
        { "threads of a block", cudaDevAttrMaxThreadsPerBlock, (size_t)properties.maxThreadsPerBlock },
        { "shared bytes", cudaDevAttrMaxSharedMemoryPerBlock, properties.sharedMemPerBlock },
        { "bytes by request", cudaDevAttrMaxSharedMemoryPerBlockOptin, properties.sharedMemPerBlockOptin },
        { "SMs", cudaDevAttrMultiProcessorCount, (size_t)properties.multiProcessorCount },
        { "threads of an SM", cudaDevAttrMaxThreadsPerMultiProcessor,
          (size_t)properties.maxThreadsPerMultiProcessor },
        { "blocks of an SM", cudaDevAttrMaxBlocksPerMultiprocessor,
          (size_t)properties.maxBlocksPerMultiProcessor },
        { "registers of an SM", cudaDevAttrMaxRegistersPerMultiprocessor,
          (size_t)properties.regsPerMultiprocessor },
        { "bytes of L2", cudaDevAttrL2CacheSize, (size_t)properties.l2CacheSize },
        { "bits of the bus", cudaDevAttrGlobalMemoryBusWidth, (size_t)properties.memoryBusWidth },
        { "cooperative", cudaDevAttrCooperativeLaunch, (size_t)properties.cooperativeLaunch },
        { "managed", cudaDevAttrManagedMemory, (size_t)properties.managedMemory },
        { "pitch", cudaDevAttrMaxPitch, properties.memPitch },
        { "capability", cudaDevAttrComputeCapabilityMajor, (size_t)properties.major }
    };
    for (auto &s : same) {
        TELL(cudaDeviceGetAttribute(&value, s.attribute, 0));
        printf("%s: %s\n", s.name, (size_t)value == s.value ? "the same" : "differs");
    }
    TELL(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
    printf("left: %s\n", cudaGetErrorName(cudaGetLastError()));
}

static void peers()
{
    int can = 7, value = 7;
    TELL(cudaDeviceCanAccessPeer(&can, 0, 0));
    TELL(cudaDeviceEnablePeerAccess(0, 0));
    TELL(cudaDeviceDisablePeerAccess(0));
    TELL(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0));
    printf("can %d, left: %s\n", can, cudaGetErrorName(cudaGetLastError()));
}

static void limits()
{
    size_t bytes = 0;
    cudaFuncCache cache;
    TELL(cudaDeviceSetLimit(cudaLimitStackSize, 2048));
    TELL(cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
    printf("stack %zu\n", bytes);
    TELL(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 21));
    TELL(cudaDeviceGetLimit(&bytes, cudaLimitPrintfFifoSize));
    printf("printf %zu\n", bytes);
    TELL(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    TELL(cudaDeviceGetCacheConfig(&cache));
    printf("cache %d\n", (int)cache);
    TELL(cudaCtxResetPersistingL2Cache());
    TELL(cudaProfilerStart());
    TELL(cudaProfilerStop());
}

static void functions()
{
    const char *name = nullptr;
    cudaFunction_t function = nullptr;
    cudaKernel_t kernel = nullptr;
    cudaFuncAttributes has;
    size_t offset = 0, bytes = 0, room = 0;
    int blocks = 0, same = 0, clusters = 0;
    TELL(cudaFuncGetName(&name, (const void *)add));
    printf("%s\n", name);
    TELL(cudaGetFuncBySymbol(&function, (const void *)add));
    TELL(cudaGetKernel(&kernel, (const void *)add));
    for (size_t i = 0; i < 4; i++) {
        TELL(cudaFuncGetParamInfo((const void *)add, i, &offset, &bytes));
        printf("at %zu, %zu bytes\n", offset, bytes);
    }
    printf("left: %s\n", cudaGetErrorName(cudaGetLastError()));
    TELL(cudaFuncSetCacheConfig(add, cudaFuncCachePreferShared));
    TELL(cudaFuncSetAttribute(add, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    TELL(cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 96 << 10));
    TELL(cudaFuncGetAttributes(&has, add));
    printf("%zu shared, %d dynamic, %d threads\n", has.sharedSizeBytes, has.maxDynamicSharedSizeBytes,
           has.maxThreadsPerBlock);
    TELL(cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    printf("left: %s\n", cudaGetErrorName(cudaGetLastError()));
    TELL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 512, 60 << 10));
    TELL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&same, add, 512, 60 << 10,
                                                                cudaOccupancyDisableCachingOverride));
    TELL(cudaOccupancyAvailableDynamicSMemPerBlock(&room, add, 2, 256));
    printf("%d and %d blocks; %s\n", blocks, same, room > (64 << 10) ? "much room" : "little room");
    cudaLaunchConfig_t config = {};
    config.gridDim = 8;
    config.blockDim = 256;
    TELL(cudaOccupancyMaxPotentialClusterSize(&clusters, add, &config));
    printf("clusters of %d\n", clusters);
}

static void launches()
{
    float *to, back[64], by = 2;
    short times = 3;
    void *arguments[] = { &to, &by, &times };
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 64;
    config.dynamicSmemBytes = 64 * sizeof(float);
    TELL(cudaMalloc(&to, sizeof back));
    TELL(cudaMemset(to, 0, sizeof back));
    TELL(cudaLaunchKernelExC(&config, (const void *)add, arguments));
    TELL(cudaLaunchKernel((const void *)add, dim3(1), dim3(64), arguments, config.dynamicSmemBytes, nullptr));
    TELL(cudaMemcpy(back, to, sizeof back, cudaMemcpyDefault));
    printf("%g %g\n", back[0], back[63]);
    // CUDA 13 has other codes for the first two.
    const cudaError_t unknown = CUDART_VERSION >= 13000 ? cudaErrorInvalidResourceHandle
                                                        : cudaErrorInvalidDeviceFunction,
                      empty = CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
    printf("%d ",
           cudaLaunchKernel((const void *)devices, dim3(1), dim3(64), arguments, 0, nullptr) == unknown);
    printf("%d\n", cudaLaunchKernel((const void *)add, dim3(0), dim3(64), arguments, 0, nullptr) == empty);
    TELL(cudaLaunchKernel((const void *)add, dim3(1), dim3(64), arguments, 200 << 10, nullptr));
    printf("left: %s, then ", cudaGetErrorName(cudaPeekAtLastError()));
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    printf("left: %s\n", cudaGetErrorName(cudaGetLastError()));
    TELL(cudaFree(to));
}

int main()
{
    devices();
    peers();
    limits();
    functions();
    launches();
    printf("%d calls are done\n", done);
}
