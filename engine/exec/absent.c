// Functions of the runtime that are not there: each is named when it is called, with what to do, and answers that it is not
// supported.
#include "engine/exec/exec.h"

static cuda_error absent(const char *name, const char *advice)
{
    report_missing(name, advice);
    return exec_answer(CUDA_NOT_SUPPORTED);
}

// They take no arguments here: none is looked at.
// clang-format off
#define ARRAYS(X)                                                                                                \
    X(cudaArrayGetMemoryRequirements) X(cudaArrayGetPlane) X(cudaArrayGetSparseProperties)                       \
    X(cudaMipmappedArrayGetMemoryRequirements) X(cudaMipmappedArrayGetSparseProperties)

#define REFERENCES(X)                                                                                            \
    X(__cudaRegisterSurface) X(__cudaRegisterTexture) X(cudaBindSurfaceToArray) X(cudaBindTexture)               \
    X(cudaBindTexture2D) X(cudaBindTextureToArray) X(cudaBindTextureToMipmappedArray) X(cudaGetSurfaceReference) \
    X(cudaGetTextureAlignmentOffset) X(cudaGetTextureReference) X(cudaUnbindTexture)

#define GRAPHICS(X)                                                                                              \
    X(cudaEGLStreamConsumerAcquireFrame) X(cudaEGLStreamConsumerConnect)                                         \
    X(cudaEGLStreamConsumerConnectWithFlags) X(cudaEGLStreamConsumerDisconnect)                                  \
    X(cudaEGLStreamConsumerReleaseFrame) X(cudaEGLStreamProducerConnect) X(cudaEGLStreamProducerDisconnect)      \
    X(cudaEGLStreamProducerPresentFrame) X(cudaEGLStreamProducerReturnFrame) X(cudaEventCreateFromEGLSync)       \
    X(cudaGLGetDevices) X(cudaGLMapBufferObject) X(cudaGLMapBufferObjectAsync) X(cudaGLRegisterBufferObject)     \
    X(cudaGLSetBufferObjectMapFlags) X(cudaGLSetGLDevice) X(cudaGLUnmapBufferObject)                             \
    X(cudaGLUnmapBufferObjectAsync) X(cudaGLUnregisterBufferObject) X(cudaGraphicsEGLRegisterImage)              \
    X(cudaGraphicsGLRegisterBuffer) X(cudaGraphicsGLRegisterImage) X(cudaGraphicsMapResources)                   \
    X(cudaGraphicsResourceGetMappedEglFrame) X(cudaGraphicsResourceGetMappedMipmappedArray)                      \
    X(cudaGraphicsResourceGetMappedPointer) X(cudaGraphicsResourceSetMapFlags)                                   \
    X(cudaGraphicsSubResourceGetMappedArray) X(cudaGraphicsUnmapResources) X(cudaGraphicsUnregisterResource)     \
    X(cudaGraphicsVDPAURegisterOutputSurface) X(cudaGraphicsVDPAURegisterVideoSurface) X(cudaVDPAUGetDevice)     \
    X(cudaVDPAUSetVDPAUDevice)

#define DRIVER(X)                                                                                                \
    X(cudaGetDriverEntryPoint) X(cudaGetDriverEntryPointByVersion) X(cudaGetDriverEntryPointByVersion_ptsz)      \
    X(cudaGetDriverEntryPoint_ptsz) X(cudaGetExportTable)

#define PROCESSES(X)                                                                                             \
    X(cudaDestroyExternalMemory) X(cudaDestroyExternalSemaphore) X(cudaDeviceGetNvSciSyncAttributes)             \
    X(cudaExternalMemoryGetMappedBuffer) X(cudaExternalMemoryGetMappedMipmappedArray)                            \
    X(cudaGraphAddExternalSemaphoresSignalNode) X(cudaGraphAddExternalSemaphoresWaitNode)                        \
    X(cudaGraphExecExternalSemaphoresSignalNodeSetParams) X(cudaGraphExecExternalSemaphoresWaitNodeSetParams)    \
    X(cudaGraphExternalSemaphoresSignalNodeGetParams) X(cudaGraphExternalSemaphoresSignalNodeSetParams)          \
    X(cudaGraphExternalSemaphoresWaitNodeGetParams) X(cudaGraphExternalSemaphoresWaitNodeSetParams)              \
    X(cudaImportExternalMemory) X(cudaImportExternalSemaphore) X(cudaIpcCloseMemHandle) X(cudaIpcGetEventHandle) \
    X(cudaIpcGetMemHandle) X(cudaIpcOpenEventHandle) X(cudaIpcOpenMemHandle) X(cudaMemPoolExportPointer)         \
    X(cudaMemPoolExportToShareableHandle) X(cudaMemPoolImportFromShareableHandle) X(cudaMemPoolImportPointer)    \
    X(cudaSignalExternalSemaphoresAsync) X(cudaSignalExternalSemaphoresAsync_ptsz)                               \
    X(cudaSignalExternalSemaphoresAsync_v2) X(cudaSignalExternalSemaphoresAsync_v2_ptsz)                         \
    X(cudaWaitExternalSemaphoresAsync) X(cudaWaitExternalSemaphoresAsync_ptsz)                                   \
    X(cudaWaitExternalSemaphoresAsync_v2) X(cudaWaitExternalSemaphoresAsync_v2_ptsz)

#define LIBRARIES(X)                                                                                             \
    X(cudaKernelSetAttributeForDevice) X(cudaLibraryEnumerateKernels) X(cudaLibraryGetGlobal)                    \
    X(cudaLibraryGetKernel) X(cudaLibraryGetKernelCount) X(cudaLibraryGetManaged)                                \
    X(cudaLibraryGetUnifiedFunction) X(cudaLibraryLoadData) X(cudaLibraryLoadFromFile) X(cudaLibraryUnload)

#define OTHERS(X)                                                                                                \
    X(cudaDeviceFlushGPUDirectRDMAWrites) X(cudaDeviceGetHostAtomicCapabilities)                                 \
    X(cudaDeviceGetP2PAtomicCapabilities) X(cudaDeviceRegisterAsyncNotification)                                 \
    X(cudaDeviceUnregisterAsyncNotification) X(cudaGraphConditionalHandleCreate)                                 \
    X(cudaLaunchCooperativeKernelMultiDevice) X(cudaLogsCurrent) X(cudaLogsDumpToFile) X(cudaLogsDumpToMemory)   \
    X(cudaLogsRegisterCallback) X(cudaLogsUnregisterCallback) X(cudaMemDiscardAndPrefetchBatchAsync)             \
    X(cudaMemDiscardAndPrefetchBatchAsync_ptsz) X(cudaMemDiscardBatchAsync) X(cudaMemDiscardBatchAsync_ptsz)     \
    X(cudaMemGetDefaultMemPool) X(cudaMemGetMemPool) X(cudaMemPrefetchBatchAsync)                                \
    X(cudaMemPrefetchBatchAsync_ptsz) X(cudaMemSetMemPool) X(cudaMemcpy3DBatchAsync)                             \
    X(cudaMemcpy3DBatchAsync_ptsz) X(cudaOccupancyMaxActiveClusters) X(cudaProfilerInitialize)                   \
    X(cudaSetDoubleForDevice) X(cudaSetDoubleForHost)
// clang-format on

#define ABSENT(name, advice)                                                                                 \
    API(name, void)                                                                                          \
    {                                                                                                        \
        ENTER();                                                                                             \
        return absent(#name, advice);                                                                        \
    }
#define ABSENT_ARRAY(name) ABSENT(name, "Leave it out: planes, tiles and sizes of arrays are not there.")
#define ABSENT_REFERENCE(name)                                                                               \
    ABSENT(name, "Use texture and surface objects: references, which CUDA 12 has removed, are not there.")
#define ABSENT_GRAPHICS(name) ABSENT(name, "Build the program without graphics.")
#define ABSENT_DRIVER(name)                                                                                  \
    ABSENT(name, "Use a function of the runtime: there is no driver here whose functions could be called.")
#define ABSENT_PROCESS(name)                                                                                 \
    ABSENT(name, "Copy the data between the processes: memory and semaphores of another one are not there.")
#define ABSENT_LIBRARY(name)                                                                                 \
    ABSENT(name,                                                                                             \
           "Compile the kernel into the program and launch it with <<<>>>: no code is loaded at run time.")
#define ABSENT_OTHER(name) ABSENT(name, "Leave it out, or run the program on a GPU.")
ARRAYS(ABSENT_ARRAY)
REFERENCES(ABSENT_REFERENCE)
GRAPHICS(ABSENT_GRAPHICS)
DRIVER(ABSENT_DRIVER)
PROCESSES(ABSENT_PROCESS)
LIBRARIES(ABSENT_LIBRARY)
OTHERS(ABSENT_OTHER)
