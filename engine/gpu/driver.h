// Shared by the files of this folder only: our own declarations of the NVIDIA driver's
// functions, the faults they report, and what one open GPU holds.
//
// Why own declarations: no NVIDIA file is needed to build, and every function is asked for by the name of
// its oldest 64-bit form. A name without its suffix (cuMemAlloc) would still be found, and is a function
// of CUDA 3 with 32-bit arguments. tests/unit/driver.c holds these types against cuda.h where it is there.
#ifndef WARPBOOK_DRIVER_H
#define WARPBOOK_DRIVER_H

#include "engine/gpu/gpu.h"

// ---- the driver's types ---------------------------------------------------------------------------

// Enumerations in cuda.h and plain int here. Macros, so that the test can put the original in their place.
#ifndef cu_result
#define cu_result int
#define cu_device_attribute int
#define cu_function_attribute int
#define cu_jit_option int
#define cu_uuid struct driver_uuid
#define cu_launch_config struct driver_launch_config
#define cu_array_description struct driver_array
#define cu_copy_3d struct driver_copy
#define cu_resource struct driver_resource
#define cu_texture_description struct driver_texture
#define cu_resource_view void
struct driver_uuid {
    char bytes[16];
};
#endif

typedef int cu_device;
typedef unsigned long long cu_address;
typedef struct CUctx_st *cu_context;
typedef struct CUmod_st *cu_module;
typedef struct CUfunc_st *cu_function;
typedef struct CUevent_st *cu_event;
typedef struct CUarray_st *cu_array;
typedef unsigned long long cu_texture; // or a surface
typedef struct CUstream_st *cu_stream; // always NULL here: the default stream keeps everything in order

// F(name, parameters) for every function that must be there …
#define DRIVER_FUNCTIONS(F)                                                                                  \
    F(cuInit, (unsigned flags))                                                                              \
    F(cuDriverGetVersion, (int *version))                                                                    \
    F(cuDeviceGetCount, (int *count))                                                                        \
    F(cuDeviceGet, (cu_device * device, int ordinal))                                                        \
    F(cuDeviceGetName, (char *name, int size, cu_device device))                                             \
    F(cuDeviceGetUuid, (cu_uuid * uuid, cu_device device))                                                   \
    F(cuDeviceGetAttribute, (int *value, cu_device_attribute attribute, cu_device device))                   \
    F(cuDeviceTotalMem_v2, (size_t * bytes, cu_device device))                                               \
    F(cuDevicePrimaryCtxRetain, (cu_context * context, cu_device device))                                    \
    F(cuDevicePrimaryCtxRelease_v2, (cu_device device))                                                      \
    F(cuCtxSetCurrent, (cu_context context))                                                                 \
    F(cuCtxSynchronize, (void))                                                                              \
    F(cuModuleLoadDataEx,                                                                                    \
      (cu_module * module, const void *image, unsigned option_count, cu_jit_option *options, void **values)) \
    F(cuModuleUnload, (cu_module module))                                                                    \
    F(cuModuleGetFunction, (cu_function * function, cu_module module, const char *name))                     \
    F(cuModuleGetGlobal_v2, (cu_address * address, size_t * bytes, cu_module module, const char *name))      \
    F(cuFuncGetAttribute, (int *value, cu_function_attribute attribute, cu_function function))               \
    F(cuFuncSetAttribute, (cu_function function, cu_function_attribute attribute, int value))                \
    F(cuOccupancyMaxActiveBlocksPerMultiprocessor,                                                           \
      (int *blocks, cu_function function, int block_threads, size_t shared_bytes))                           \
    F(cuLaunchKernel, (cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,              \
                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,          \
                       cu_stream stream, void **arguments, void **extra))                                    \
    F(cuMemGetInfo_v2, (size_t * free_bytes, size_t * total_bytes))                                          \
    F(cuMemAlloc_v2, (cu_address * address, size_t bytes))                                                   \
    F(cuMemFree_v2, (cu_address address))                                                                    \
    F(cuMemAllocHost_v2, (void **pointer, size_t bytes))                                                     \
    F(cuMemFreeHost, (void *pointer))                                                                        \
    F(cuMemcpyHtoD_v2, (cu_address to, const void *from, size_t bytes))                                      \
    F(cuMemcpyDtoH_v2, (void *to, cu_address from, size_t bytes))                                            \
    F(cuMemcpyHtoDAsync_v2, (cu_address to, const void *from, size_t bytes, cu_stream stream))               \
    F(cuMemcpyDtoHAsync_v2, (void *to, cu_address from, size_t bytes, cu_stream stream))                     \
    F(cuMemcpyDtoDAsync_v2, (cu_address to, cu_address from, size_t bytes, cu_stream stream))                \
    F(cuMemsetD8Async, (cu_address to, unsigned char byte, size_t bytes, cu_stream stream))                  \
    F(cuArray3DCreate_v2, (cu_array * array, const cu_array_description *description))                       \
    F(cuArrayDestroy, (cu_array array))                                                                      \
    F(cuMemcpy3DAsync_v2, (const cu_copy_3d *copy, cu_stream stream))                                        \
    F(cuTexObjectCreate, (cu_texture * texture, const cu_resource *resource,                                 \
                          const cu_texture_description *description, const cu_resource_view *view))          \
    F(cuTexObjectDestroy, (cu_texture texture))                                                              \
    F(cuSurfObjectCreate, (cu_texture * surface, const cu_resource *resource))                               \
    F(cuSurfObjectDestroy, (cu_texture surface))                                                             \
    F(cuEventCreate, (cu_event * event, unsigned flags))                                                     \
    F(cuEventRecord, (cu_event event, cu_stream stream))                                                     \
    F(cuEventQuery, (cu_event event))                                                                        \
    F(cuEventElapsedTime, (float *ms, cu_event begin, cu_event end))                                         \
    F(cuEventDestroy_v2, (cu_event event))                                                                   \
    F(cuGetErrorName, (cu_result code, const char **name))                                                   \
    F(cuGetErrorString, (cu_result code, const char **string))
// … and for those that older drivers lack: NULL there.
#define DRIVER_OPTIONAL(F)                                                                                   \
    F(cuDeviceGetUuid_v2, (cu_uuid * uuid, cu_device device))                                                \
    F(cuFuncGetParamInfo, (cu_function function, size_t index, size_t * offset, size_t * bytes))             \
    F(cuLaunchKernelEx,                                                                                      \
      (const cu_launch_config *config, cu_function function, void **arguments, void **extra))

// As cuLaunchKernelEx takes a launch.
struct driver_launch_attribute {
    int id;
    union {
        char room[64];
        unsigned cluster[3];
        int cooperative;
    } value __attribute__((aligned(8)));
};
struct driver_launch_config {
    unsigned grid[3], block[3], shared_bytes;
    cu_stream stream;
    struct driver_launch_attribute *attributes;
    unsigned attribute_count;
};

// As textures and surfaces are made: their texels in an array or in linear memory.
struct driver_array {
    size_t width, height, depth; // in texels; depth: or layers
    int format;
    unsigned channels, flags;
};
struct driver_copy_side {
    size_t x_bytes, y, z, level;
    int kind;
    void *host;
    cu_address device;
    cu_array array;
    void *reserved;
    size_t pitch, height;
};
struct driver_copy {
    struct driver_copy_side from, to;
    size_t width_bytes, height, depth;
};
struct driver_resource {
    int kind;
    union {
        cu_array array;
        struct {
            cu_address at;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        int room[32];
    } of;
    unsigned flags;
};
struct driver_texture {
    int edge[3], filter;
    unsigned flags, anisotropy;
    int level_filter;
    float level_bias, level_least, level_most, border[4];
    int reserved[12];
};

struct driver {
    char path[512];
    int version; // 0: unknown
#define DRIVER_MEMBER(name, parameters) cu_result(*name) parameters;
    DRIVER_FUNCTIONS(DRIVER_MEMBER)
    DRIVER_OPTIONAL(DRIVER_MEMBER)
#undef DRIVER_MEMBER
};

// The numbers of the attributes and options that are used.
enum {
    DEVICE_MAX_BLOCK_THREADS = 1,
    DEVICE_CLOCK_KHZ = 13,
    DEVICE_SM_COUNT = 16,
    DEVICE_MEMORY_CLOCK_KHZ = 36,
    DEVICE_MEMORY_BUS_BITS = 37,
    DEVICE_L2_BYTES = 38,
    DEVICE_MAJOR = 75,
    DEVICE_MINOR = 76,
    DEVICE_SHARED_BLOCK_OPTIN = 97,

    FUNCTION_MAX_THREADS = 0,
    FUNCTION_SHARED_BYTES = 1,
    FUNCTION_REGISTERS = 4,
    FUNCTION_MAX_DYNAMIC_SHARED = 8,
    FUNCTION_LARGE_CLUSTER = 14, // more blocks than every GPU with clusters takes

    LAUNCH_COOPERATIVE = 2,
    LAUNCH_CLUSTER = 4,
    CLUSTER_USUAL = 8,

    MEMORY_DEVICE = 2,
    MEMORY_ARRAY = 3,
    ARRAY_LAYERED = 1,
    ARRAY_SURFACE = 2,
    FORMAT_UNSIGNED = 1, // of 8 bits; 16 and 32 bits follow, as they do below
    FORMAT_SIGNED = 8,
    FORMAT_HALF = 16,
    FORMAT_FLOAT = 32,
    RESOURCE_ARRAY = 0,
    RESOURCE_LINEAR = 2,
    TEXTURE_ELEMENTS = 1, // whole numbers are read as they are
    TEXTURE_NORMALISED = 2,

    JIT_ERROR_LOG = 5,
    JIT_ERROR_LOG_BYTES = 6,
};

// ---- driver.c: the driver's error codes in words --------------------------------------------------

enum {
    CU_INVALID_VALUE = 1,
    CU_OUT_OF_MEMORY = 2,
    CU_NO_DEVICE = 100,
    CU_NO_BINARY_FOR_GPU = 209,
    CU_NOT_READY = 600,
};
// Sets the error: what was being done, what the code means, what to do next, and the code's name and number. `doing` reads
// like "Copying the input to the GPU". Notes when the code leaves the GPU unusable. Returns false.
bool gpu_fault(struct gpu *gpu, int code, const char *call, const char *doing, struct error *error);
// Calls a function of the driver; false with the error set when it answers with a code.
#define GPU_CALL(gpu, function, arguments, doing, error)                                                     \
    gpu_answered(gpu, (gpu)->driver->function arguments, #function, doing, error)
static inline bool gpu_answered(struct gpu *gpu, int code, const char *call, const char *doing,
                                struct error *error)
{
    return code == 0 || gpu_fault(gpu, code, call, doing, error);
}
// True when the GPU can still be used; otherwise the error says that it was given up. A lost GPU is never
// called again: after a kernel that hangs, any call may wait forever.
bool gpu_usable(const struct gpu *gpu, struct error *error);

// ---- one open GPU ---------------------------------------------------------------------------------

// Page-locked memory in pieces that are filled and copied in turn. Four of 8 MiB keep three copies queued
// while the host looks at the fourth, and stay small enough for the host's caches.
enum { PIECE_COUNT = 4, PIECE_BYTES = 8 << 20 };
struct staging_piece {
    void *bytes;
    cu_event begin, end; // around its copy
};

struct gpu {
    const struct driver *driver;
    struct gpu_facts facts;
    cu_device device;
    cu_context context;
    bool lost;
    struct lock *lock;
    cu_event begin, end; // around the launches that are timed
    struct staging_piece pieces[PIECE_COUNT];
    enum { STAGING_UNTRIED, STAGING_READY, STAGING_REFUSED } staging;
    gpu_address flush; // what is read, or filled, to empty the L2; 0: not allocated yet
    size_t flush_bytes;
    struct gpu_module *helpers; // of ceiling.cu; NULL: not loaded
    struct gpu_function *read, *copy, *noise, *empty, *hold;
};

struct gpu_function { // owned by its module
    char *name;
    cu_function handle;
    int registers, shared_bytes, max_threads; // -1 unknown
    int dynamic_allowed;                      // bytes that were allowed beyond the usual 48 KiB
};
struct gpu_module {
    cu_module handle;
    struct gpu_function **functions;
    size_t count;
};

// memory.c: the staging memory goes when the GPU is closed.
void staging_free(struct gpu *gpu);

// launch.c
// Waits for the event by asking again and again, which can be ended at a limit, unlike the driver's own waiting.
bool gpu_await(struct gpu *gpu, cu_event event, int limit_ms, const char *doing, struct error *error);

// library.c: queues the call that is prepared.
bool gpu_library_call(struct gpu_library *library, struct error *error);

#endif
