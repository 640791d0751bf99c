// The CUDA runtime for whole programs that clang compiles without a Toolkit: types, constants and functions as programs use
// them, with the values and layouts of CUDA 12. What stands behind them is engine/exec. The declarations for kernels are
// in assets/clang/cuda.h, which comes before this file.
#pragma clang system_header
#ifndef WARPBOOK_RUNTIME_H
#define WARPBOOK_RUNTIME_H

#include <assert.h>
#include <initializer_list>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CUDART_VERSION 12080
#define CUDART_CB

// clang has managed variables for HIP alone. Here they are variables of the device whose bytes of the same name on the host,
// in a section of their own, are told to the runtime, which keeps both the same.
#define __managed__ __device__ __attribute__((section("warpbook_managed")))
#define __cluster_dims__(...)                                                                                \
    _Pragma("GCC error \"clang 14 has no __cluster_dims__: give the launch an attribute, or install nvcc\"")

// Of kernels; the host's headers declare those of the host alone.
extern "C" __device__ void *malloc(size_t bytes);
extern "C" __device__ void free(void *);
#include <new> // clang's, which has new and delete for kernels
static inline __device__ void *memcpy(void *to, const void *from, size_t bytes)
{
    return __builtin_memcpy(to, from, bytes);
}
static inline __device__ void *memset(void *to, int byte, size_t bytes)
{
    return __builtin_memset(to, byte, bytes);
}

#undef warpSize // it is a member of a structure, too
static constexpr int warpSize = 32;

// What assert of the host's header calls in a kernel.
static inline __device__ __attribute__((noreturn)) void __assert_fail(const char *what, const char *file,
                                                                      unsigned line, const char *function)
{
    __assertfail(what, file, line, function, 1);
    __builtin_trap();
}

#include "warpbook/errors.h"

// ---- constants and structures -----------------------------------------------------------------------------------

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4, cudaCpuDeviceId = -1 };
enum {
    cudaHostAllocDefault = 0,
    cudaHostAllocPortable = 1,
    cudaHostAllocMapped = 2,
    cudaHostAllocWriteCombined = 4,
    cudaHostRegisterDefault = 0,
    cudaHostRegisterPortable = 1,
    cudaHostRegisterMapped = 2,
    cudaHostRegisterIoMemory = 4,
    cudaHostRegisterReadOnly = 8
};
enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2,
    cudaMemoryTypeManaged = 3
};
enum cudaMemLocationType {
    cudaMemLocationTypeInvalid = 0,
    cudaMemLocationTypeDevice = 1,
    cudaMemLocationTypeHost = 2
};
enum cudaMemAccessFlags {
    cudaMemAccessFlagsProtNone = 0,
    cudaMemAccessFlagsProtRead = 1,
    cudaMemAccessFlagsProtReadWrite = 3
};
enum cudaMemAllocationType { cudaMemAllocationTypeInvalid = 0, cudaMemAllocationTypePinned = 1 };
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone = 0 };
enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic = 2,
    cudaMemPoolReuseAllowInternalDependencies = 3,
    cudaMemPoolAttrReleaseThreshold = 4,
    cudaMemPoolAttrReservedMemCurrent = 5,
    cudaMemPoolAttrReservedMemHigh = 6,
    cudaMemPoolAttrUsedMemCurrent = 7,
    cudaMemPoolAttrUsedMemHigh = 8
};
enum {
    cudaEventDefault = 0,
    cudaEventBlockingSync = 1,
    cudaEventDisableTiming = 2,
    cudaEventInterprocess = 4,
    cudaEventRecordDefault = 0,
    cudaEventRecordExternal = 1,
    cudaEventWaitDefault = 0,
    cudaEventWaitExternal = 1,
    cudaStreamDefault = 0,
    cudaStreamNonBlocking = 1
};
enum {
    cudaDeviceScheduleAuto = 0,
    cudaDeviceScheduleSpin = 1,
    cudaDeviceScheduleYield = 2,
    cudaDeviceScheduleBlockingSync = 4,
    cudaDeviceScheduleMask = 7,
    cudaDeviceMapHost = 8,
    cudaDeviceLmemResizeToMax = 16,
    cudaOccupancyDefault = 0,
    cudaOccupancyDisableCachingOverride = 1
};
enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank = 1,
    cudaDevP2PAttrAccessSupported = 2,
    cudaDevP2PAttrNativeAtomicSupported = 3,
    cudaDevP2PAttrCudaArrayAccessSupported = 4
};
enum cudaFuncCache {
    cudaFuncCachePreferNone = 0,
    cudaFuncCachePreferShared = 1,
    cudaFuncCachePreferL1 = 2,
    cudaFuncCachePreferEqual = 3
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaLimit {
    cudaLimitStackSize,
    cudaLimitPrintfFifoSize,
    cudaLimitMallocHeapSize,
    cudaLimitDevRuntimeSyncDepth,
    cudaLimitDevRuntimePendingLaunchCount,
    cudaLimitMaxL2FetchGranularity,
    cudaLimitPersistingL2CacheSize
};
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly = 2,
    cudaMemAdviseSetPreferredLocation = 3,
    cudaMemAdviseUnsetPreferredLocation = 4,
    cudaMemAdviseSetAccessedBy = 5,
    cudaMemAdviseUnsetAccessedBy = 6
};
enum cudaMemRangeAttribute {
    cudaMemRangeAttributeReadMostly = 1,
    cudaMemRangeAttributePreferredLocation = 2,
    cudaMemRangeAttributeAccessedBy = 3,
    cudaMemRangeAttributeLastPrefetchLocation = 4
};
enum { cudaInvalidDeviceId = -2 };
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault = 0,
    cudaSharedMemBankSizeFourByte = 1,
    cudaSharedMemBankSizeEightByte = 2
};
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrMaxPitch = 11,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrTextureAlignment = 14,
    cudaDevAttrGpuOverlap = 15,
    cudaDevAttrKernelExecTimeout = 17,
    cudaDevAttrIntegrated = 18,
    cudaDevAttrCanMapHostMemory = 19,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrEccEnabled = 32,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrAsyncEngineCount = 40,
    cudaDevAttrUnifiedAddressing = 41,
    cudaDevAttrStreamPrioritiesSupported = 78,
    cudaDevAttrMaxRegistersPerMultiprocessor = 82,
    cudaDevAttrHostNativeAtomicSupported = 86,
    cudaDevAttrPageableMemoryAccess = 88,
    cudaDevAttrComputePreemptionSupported = 90,
    cudaDevAttrHostRegisterSupported = 99,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrClusterLaunch = 120,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMemoryPoolsSupported = 115
};

typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUkern_st *cudaKernel_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);
typedef void (*cudaHostFn_t)(void *data);

struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPos {
    size_t x, y, z;
};
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    enum cudaMemcpyKind kind;
};
struct cudaMemcpy3DPeerParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    int srcDevice;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    int dstDevice;
    struct cudaExtent extent;
};
struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
struct cudaMemLocation {
    enum cudaMemLocationType type;
    int id;
};
struct cudaMemPoolProps {
    enum cudaMemAllocationType allocType;
    enum cudaMemAllocationHandleType handleTypes;
    struct cudaMemLocation location;
    void *win32SecurityAttributes;
    unsigned char reserved[64];
};
struct cudaMemAccessDesc {
    struct cudaMemLocation location;
    enum cudaMemAccessFlags flags;
};
enum cudaMemcpySrcAccessOrder {
    cudaMemcpySrcAccessOrderInvalid = 0,
    cudaMemcpySrcAccessOrderStream = 1,
    cudaMemcpySrcAccessOrderDuringApiCall = 2,
    cudaMemcpySrcAccessOrderAny = 3
};
struct cudaMemcpyAttributes {
    enum cudaMemcpySrcAccessOrder srcAccessOrder;
    struct cudaMemLocation srcLocHint, dstLocHint;
    unsigned flags;
};
enum cudaAccessProperty {
    cudaAccessPropertyNormal = 0,
    cudaAccessPropertyStreaming = 1,
    cudaAccessPropertyPersisting = 2
};
struct cudaAccessPolicyWindow {
    void *base_ptr;
    size_t num_bytes;
    float hitRatio;
    enum cudaAccessProperty hitProp, missProp;
};
enum cudaSynchronizationPolicy {
    cudaSyncPolicyAuto = 1,
    cudaSyncPolicySpin = 2,
    cudaSyncPolicyYield = 3,
    cudaSyncPolicyBlockingSync = 4
};
enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeAccessPolicyWindow = 1,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeSynchronizationPolicy = 3,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributePriority = 8
};
union cudaLaunchAttributeValue {
    char pad[64];
    struct cudaAccessPolicyWindow accessPolicyWindow;
    int cooperative, programmaticStreamSerializationAllowed, priority;
    enum cudaSynchronizationPolicy syncPolicy;
    struct {
        unsigned x, y, z;
    } clusterDim;
};
typedef union cudaLaunchAttributeValue cudaStreamAttrValue, cudaKernelNodeAttrValue;
typedef enum cudaLaunchAttributeID cudaStreamAttrID, cudaKernelNodeAttrID;
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributeSynchronizationPolicy cudaLaunchAttributeSynchronizationPolicy
#define cudaStreamAttributePriority cudaLaunchAttributePriority
#define cudaKernelNodeAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaKernelNodeAttributeCooperative cudaLaunchAttributeCooperative
#define cudaKernelNodeAttributePriority cudaLaunchAttributePriority
typedef struct cudaLaunchAttribute_st {
    enum cudaLaunchAttributeID id;
    char pad[4];
    union cudaLaunchAttributeValue val;
} cudaLaunchAttribute;
typedef struct cudaLaunchConfig_st {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
        preferredShmemCarveout;
    int reserved[24];
};
struct cudaUUID {
    char bytes[16];
};
struct cudaDeviceProp {
    char name[256];
    struct cudaUUID uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory,
        computeMode;
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2],
        maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap,
        maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3],
        maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount,
        unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize,
        maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID,
        hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio, pageableMemoryAccess,
        concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem,
        cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor,
        accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int others[76];
};
static_assert(sizeof(cudaDeviceProp) == 1032, "as in CUDA 12");

// ---- functions --------------------------------------------------------------------------------------------------

extern "C" {
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream);
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *kernel, void **arguments);

cudaError_t cudaGetLastError(void), cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t), *cudaGetErrorString(cudaError_t);

cudaError_t cudaDeviceSynchronize(void), cudaDeviceReset(void);
// As they were called before CUDA 4; CUDA 13 has dropped the names.
cudaError_t cudaThreadSynchronize(void), cudaThreadExit(void);
cudaError_t cudaThreadGetLimit(size_t *, enum cudaLimit), cudaThreadSetLimit(enum cudaLimit, size_t);
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *), cudaThreadSetCacheConfig(enum cudaFuncCache);
cudaError_t cudaGetDevice(int *), cudaSetDevice(int), cudaGetDeviceCount(int *), cudaSetDeviceFlags(unsigned);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *, int device);
cudaError_t cudaDeviceGetAttribute(int *, enum cudaDeviceAttr, int device);
cudaError_t cudaDeviceGetLimit(size_t *, enum cudaLimit), cudaDeviceSetLimit(enum cudaLimit, size_t);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache);
cudaError_t cudaGetDeviceFlags(unsigned *), cudaDeviceGetPCIBusId(char *, int bytes, int device);
cudaError_t cudaDeviceGetByPCIBusId(int *, const char *),
    cudaChooseDevice(int *, const struct cudaDeviceProp *);
cudaError_t cudaSetValidDevices(int *devices, int count);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *), cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaDeviceGetP2PAttribute(int *, enum cudaDeviceP2PAttr, int from, int to);
cudaError_t cudaDeviceCanAccessPeer(int *, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags), cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDriverGetVersion(int *), cudaRuntimeGetVersion(int *);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);

cudaError_t cudaMalloc(void **, size_t), cudaFree(void *);
cudaError_t cudaMallocHost(void **, size_t), cudaFreeHost(void *);
cudaError_t cudaHostAlloc(void **, size_t, unsigned flags);
cudaError_t cudaHostRegister(void *, size_t, unsigned flags), cudaHostUnregister(void *);
cudaError_t cudaHostGetDevicePointer(void **, void *host, unsigned flags);
cudaError_t cudaHostGetFlags(unsigned *, void *host);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *, const void *);
cudaError_t cudaMallocManaged(void **, size_t, unsigned flags);
cudaError_t cudaMallocPitch(void **, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *, struct cudaExtent);
cudaError_t cudaMallocAsync(void **, size_t, cudaStream_t), cudaFreeAsync(void *, cudaStream_t);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *, int device),
    cudaDeviceGetMemPool(cudaMemPool_t *, int);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *, const struct cudaMemPoolProps *),
    cudaMemPoolDestroy(cudaMemPool_t);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, enum cudaMemPoolAttr, void *);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, enum cudaMemPoolAttr, void *);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const struct cudaMemAccessDesc *, size_t count);
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *, cudaMemPool_t, struct cudaMemLocation *);
cudaError_t cudaMallocFromPoolAsync(void **, size_t, cudaMemPool_t, cudaStream_t);
cudaError_t cudaMemAdvise(const void *, size_t, enum cudaMemoryAdvise, int device);
cudaError_t cudaMemPrefetchAsync(const void *, size_t, int device, cudaStream_t = 0);
cudaError_t cudaMemAdvise_v2(const void *, size_t, enum cudaMemoryAdvise, struct cudaMemLocation);
cudaError_t cudaMemPrefetchAsync_v2(const void *, size_t, struct cudaMemLocation, unsigned flags,
                                    cudaStream_t);

cudaError_t cudaMemcpy(void *to, const void *from, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t, enum cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                         size_t height, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *, cudaStream_t = 0);
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t);
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t,
                                cudaStream_t = 0);
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *);
cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *, cudaStream_t = 0);
cudaError_t cudaMemcpyBatchAsync(void **to, void **from, size_t *sizes, size_t count,
                                 struct cudaMemcpyAttributes *, size_t *first, size_t attributes,
                                 size_t *failed, cudaStream_t);
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t, size_t offset = 0,
                               enum cudaMemcpyKind = cudaMemcpyHostToDevice);
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t, size_t offset = 0,
                                 enum cudaMemcpyKind = cudaMemcpyDeviceToHost);
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t, size_t offset,
                                    enum cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t, size_t offset,
                                      enum cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaGetSymbolAddress(void **, const void *symbol),
    cudaGetSymbolSize(size_t *, const void *symbol);
cudaError_t cudaMemset(void *, int value, size_t);
cudaError_t cudaMemsetAsync(void *, int value, size_t, cudaStream_t = 0);
cudaError_t cudaMemset2D(void *, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void *, size_t pitch, int value, size_t width, size_t height, cudaStream_t = 0);
cudaError_t cudaMemset3D(struct cudaPitchedPtr, int value, struct cudaExtent);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr, int value, struct cudaExtent, cudaStream_t = 0);

cudaError_t cudaStreamCreate(cudaStream_t *), cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *, unsigned flags, int priority);
cudaError_t cudaStreamSynchronize(cudaStream_t), cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamGetId(cudaStream_t, unsigned long long *), cudaStreamGetDevice(cudaStream_t, int *);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t = 0, unsigned flags = 0);
cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags);
cudaError_t cudaFuncGetName(const char **, const void *kernel);
cudaError_t cudaProfilerStart(void), cudaProfilerStop(void);
cudaError_t cudaMemRangeGetAttribute(void *, size_t, enum cudaMemRangeAttribute, const void *, size_t bytes);
cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes, enum cudaMemRangeAttribute *, size_t count,
                                      const void *, size_t bytes);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig),
    cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *);
cudaError_t cudaFuncSetSharedMemConfig(const void *kernel, enum cudaSharedMemConfig);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *, const void *kernel, int blocks, int threads);
cudaError_t cudaStreamGetPriority(cudaStream_t, int *), cudaStreamGetFlags(cudaStream_t, unsigned *);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *, size_t = 0, unsigned flags = cudaMemAttachSingle);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned flags = 0);
cudaError_t cudaStreamAddCallback(cudaStream_t, cudaStreamCallback_t, void *data, unsigned flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void *data);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t), cudaEventSynchronize(cudaEvent_t), cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaEventCreate(cudaEvent_t *);

cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue *);
cudaError_t cudaStreamGetAttribute(cudaStream_t, cudaStreamAttrID, cudaStreamAttrValue *);
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);

cudaError_t cudaFuncGetParamInfo(const void *kernel, size_t index, size_t *offset, size_t *bytes);
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *, const void *kernel);
cudaError_t cudaGetKernel(cudaKernel_t *, const void *kernel);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel,
                                                                   int threads, size_t shared,
                                                                   unsigned flags);
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *kernel, const cudaLaunchConfig_t *);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *, const void *kernel);
cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute, int value);
cudaError_t cudaFuncSetCacheConfig(const void *kernel, enum cudaFuncCache);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads,
                                                          size_t shared);
}

#include "warpbook/graphs.h"
#include "warpbook/textures.h"

#ifndef __CUDA_ARCH__
extern "C" {
extern char __start_warpbook_managed[] __attribute__((weak)), __stop_warpbook_managed[] __attribute__((weak));
void __cudaShareManagedVars(char *start, char *stop);
}
namespace
{
struct wb_managed {
    wb_managed()
    {
        if (__start_warpbook_managed)
            __cudaShareManagedVars(__start_warpbook_managed, __stop_warpbook_managed);
    }
} wb_managed_of_file __attribute__((init_priority(101)));
} // namespace
#endif

// ---- as C++ calls them --------------------------------------------------------------------------------------------

template <class T> inline cudaError_t cudaMalloc(T **out, size_t bytes)
{
    return cudaMalloc((void **)(void *)out, bytes);
}
template <class T> inline cudaError_t cudaMallocHost(T **out, size_t bytes)
{
    return cudaMallocHost((void **)(void *)out, bytes);
}
template <class T> inline cudaError_t cudaHostAlloc(T **out, size_t bytes, unsigned flags)
{
    return cudaHostAlloc((void **)(void *)out, bytes, flags);
}
template <class T> inline cudaError_t cudaHostGetDevicePointer(T **out, void *host, unsigned flags)
{
    return cudaHostGetDevicePointer((void **)(void *)out, host, flags);
}
template <class T>
inline cudaError_t cudaMallocManaged(T **out, size_t bytes, unsigned flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)(void *)out, bytes, flags);
}
template <class T> inline cudaError_t cudaMallocPitch(T **out, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)(void *)out, pitch, width, height);
}
template <class T> inline cudaError_t cudaMallocAsync(T **out, size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync((void **)(void *)out, bytes, stream);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                      enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                        enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset,
                                           enum cudaMemcpyKind kind, cudaStream_t stream = 0)
{
    return cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset,
                                             enum cudaMemcpyKind kind, cudaStream_t stream = 0)
{
    return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}
template <class T> inline cudaError_t cudaGetSymbolAddress(void **out, const T &symbol)
{
    return cudaGetSymbolAddress(out, (const void *)&symbol);
}
template <class T> inline cudaError_t cudaGetSymbolSize(size_t *out, const T &symbol)
{
    return cudaGetSymbolSize(out, (const void *)&symbol);
}
// CUDA 13 has places as structures in them.
static inline cudaError_t cudaMemAdvise(const void *at, size_t bytes, enum cudaMemoryAdvise advice,
                                        struct cudaMemLocation place)
{
    return cudaMemAdvise_v2(at, bytes, advice, place);
}
static inline cudaError_t cudaMemPrefetchAsync(const void *at, size_t bytes, struct cudaMemLocation place,
                                               unsigned flags, cudaStream_t stream = 0)
{
    return cudaMemPrefetchAsync_v2(at, bytes, place, flags, stream);
}
template <class T> inline cudaError_t cudaEventCreate(T *event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}
template <class T> inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, T *kernel)
{
    return cudaFuncGetAttributes(out, (const void *)kernel);
}
template <class T> inline cudaError_t cudaFuncSetAttribute(T *kernel, enum cudaFuncAttribute what, int value)
{
    return cudaFuncSetAttribute((const void *)kernel, what, value);
}
template <class T> inline cudaError_t cudaFuncSetCacheConfig(T *kernel, enum cudaFuncCache config)
{
    return cudaFuncSetCacheConfig((const void *)kernel, config);
}
template <class T>
inline cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block, void **arguments,
                                               size_t shared = 0, cudaStream_t stream = 0)
{
    return cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, shared, stream);
}
template <class T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T *kernel, int threads,
                                                                 size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads, shared);
}
template <class T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T *kernel, int threads,
                                                                          size_t shared, unsigned flags)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel, threads,
                                                                  shared, flags);
}
template <class T>
inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *kernel, int blocks,
                                                             int threads)
{
    return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)kernel, blocks, threads);
}
template <class T>
inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, T *kernel,
                                                        const cudaLaunchConfig_t *config)
{
    return cudaOccupancyMaxPotentialClusterSize(size, (const void *)kernel, config);
}
// The block with which most threads are resident: the largest one of those.
template <class T, class F>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T kernel,
                                                                  F shared_of, int limit = 0)
{
    int device, units, resident, most = 0;
    cudaFuncAttributes has;
    cudaError_t code = cudaGetDevice(&device);
    if (!code)
        code = cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device);
    if (!code)
        code = cudaFuncGetAttributes(&has, kernel);
    const int last = !limit || (!code && has.maxThreadsPerBlock < limit) ? has.maxThreadsPerBlock : limit;
    for (int threads = code ? 0 : last; threads > 0; threads = (threads - 1) / 32 * 32) {
        code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, shared_of(threads));
        if (code || resident * threads <= most)
            continue;
        most = resident * threads;
        *block = threads;
        *grid = resident * units;
    }
    return code;
}
template <class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T kernel, size_t shared = 0,
                                                      int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        grid, block, kernel, [shared](int) { return shared; }, limit);
}
template <class... Parameters, class... Arguments>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                                      Arguments... arguments)
{
    return [&](Parameters... converted) {
        void *all[] = { (void *)&converted..., nullptr };
        return cudaLaunchKernelExC(config, (const void *)kernel, all);
    }(arguments...);
}
template <class T>
inline cudaError_t cudaMallocFromPoolAsync(T **out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)(void *)out, bytes, pool, stream);
}
static inline cudaPitchedPtr make_cudaPitchedPtr(void *ptr, size_t pitch, size_t xsize, size_t ysize)
{
    return { ptr, pitch, xsize, ysize };
}
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    return { x, y, z };
}
static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    return { width, height, depth };
}

#endif
