// The one device, with the figures of an H100. Compiled once for each major version of the interface, CUDART_MAJOR: the
// layout of its properties and two signatures differ.
#include "engine/exec/exec.h"

#include <stdio.h>
#include <string.h>

#ifndef CUDART_MAJOR
#define CUDART_MAJOR 13
#endif
const int exec_major = CUDART_MAJOR;
#define DEVICE_NAME "Simulated GPU (warpbook)"

enum {
    MAJOR = 9,
    MINOR = 0,
    SMS = 132,
    REGISTERS = 65536,
    L2_BYTES = 50 << 20,
    BUS_BITS = 5120,
    CLOCK_KHZ = 1980000,
    MEMORY_KHZ = 2619000,
    VERSION = CUDART_MAJOR == 11   ? 11080
              : CUDART_MAJOR == 12 ? 12080
                                   : 13000
};

// As in CUDA 11 and 12; in 13 without what that version has dropped.
struct cuda_properties {
    char name[256];
    struct cuda_uuid uuid;
    char luid[8];
    unsigned luid_mask;
    size_t total_bytes, shared_block;
    int registers_block, warp;
    size_t pitch;
    int threads_block, block_most[3], grid_most[3];
#if CUDART_MAJOR < 13
    int clock_khz;
#endif
    size_t constant_bytes;
    int major, minor;
    size_t texture_alignment, texture_pitch;
#if CUDART_MAJOR < 13
    int overlap;
#endif
    int sms;
#if CUDART_MAJOR < 13
    int timeout;
#endif
    int integrated, maps_host;
#if CUDART_MAJOR < 13
    int compute_mode;
#endif
    int texture_1d, texture_1d_mipmap;
#if CUDART_MAJOR < 13
    int texture_1d_linear;
#endif
    int texture_2d[2], texture_2d_mipmap[2], texture_2d_linear[3], texture_2d_gather[2], texture_3d[3],
        texture_3d_other[3], cubemap, texture_1d_layered[2], texture_2d_layered[3], cubemap_layered[2];
    int surface_1d, surface_2d[2], surface_3d[3], surface_1d_layered[2], surface_2d_layered[3],
        surface_cubemap, surface_cubemap_layered[2];
    size_t surface_alignment;
    int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, async_engines, unified_addresses;
#if CUDART_MAJOR < 13
    int memory_khz;
#endif
    int bus_bits, l2_bytes, l2_persisting, threads_sm, priorities, l1_global, l1_local;
    size_t shared_sm;
    int registers_sm, managed, multi_gpu, multi_gpu_group, host_atomics;
#if CUDART_MAJOR < 13
    int double_ratio;
#endif
    int pageable, concurrent_managed, preemption, registered_same, cooperative;
#if CUDART_MAJOR < 13
    int cooperative_multi;
#endif
    size_t shared_optin;
    int page_tables, direct_managed, blocks_sm, window;
    size_t shared_reserved;
#if CUDART_MAJOR > 11
    int host_register, sparse, host_register_read, timeline, pools, rdma;
    unsigned rdma_flush;
    int rdma_order;
    unsigned pool_handles;
    int deferred, ipc_events, clusters, function_pointers;
    int reserved[63];
#endif
};
#if CUDART_MAJOR == 13
_Static_assert(sizeof(struct cuda_properties) == 1008, "as in CUDA 13");
#elif CUDART_MAJOR == 12
_Static_assert(sizeof(struct cuda_properties) == 1032, "as in CUDA 12");
#else
_Static_assert(sizeof(struct cuda_properties) == 728, "as in CUDA 11");
#endif

API(cudaGetDeviceProperties, struct cuda_properties *out, int device)
{
    ENTER();
    if (!out || device != 0)
        return exec_answer(out ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
    *out = (struct cuda_properties)
    {
        .name = DEVICE_NAME, .total_bytes = DEVICE_BYTES, .shared_block = SHARED_BLOCK,
        .registers_block = REGISTERS, .warp = 32, .pitch = INT32_MAX, .threads_block = THREADS_BLOCK,
        .block_most = { THREADS_BLOCK, THREADS_BLOCK, THREADS_BLOCK_Z },
        .grid_most = { INT32_MAX, BLOCKS_GRID_YZ, BLOCKS_GRID_YZ }, .constant_bytes = 65536, .major = MAJOR,
        .minor = MINOR, .texture_alignment = TEXTURE_ALIGNMENT, .texture_pitch = TEXTURE_PITCH_ALIGNMENT,
        .sms = SMS, .maps_host = 1, .texture_1d = TEXELS_1D, .texture_2d = { TEXELS_1D, TEXELS_2D_HIGH },
        .texture_2d_linear = { TEXELS_1D, LINEAR_HIGH, LINEAR_PITCH },
        .texture_2d_gather = { TEXELS_EDGE, TEXELS_EDGE }, .texture_3d = { TEXELS_3D, TEXELS_3D, TEXELS_3D },
        .texture_3d_other = { TEXELS_3D_OTHER, TEXELS_3D_OTHER, TEXELS_EDGE }, .cubemap = TEXELS_EDGE,
        .texture_1d_layered = { TEXELS_EDGE, TEXEL_LAYERS },
        .texture_2d_layered = { TEXELS_EDGE, TEXELS_EDGE, TEXEL_LAYERS },
        .cubemap_layered = { TEXELS_EDGE, CUBE_LAYERS }, .surface_1d = TEXELS_EDGE,
        .surface_2d = { TEXELS_1D, TEXELS_2D_HIGH }, .surface_3d = { TEXELS_3D, TEXELS_3D, TEXELS_3D },
        .surface_1d_layered = { TEXELS_EDGE, TEXEL_LAYERS },
        .surface_2d_layered = { TEXELS_EDGE, TEXELS_EDGE, TEXEL_LAYERS }, .surface_cubemap = TEXELS_EDGE,
        .surface_cubemap_layered = { TEXELS_EDGE, CUBE_LAYERS }, .surface_alignment = TEXTURE_ALIGNMENT,
        .concurrent_kernels = 1, .ecc = 1, .async_engines = 3, .unified_addresses = 1, .bus_bits = BUS_BITS,
        .l2_bytes = L2_BYTES, .threads_sm = THREADS_SM, .priorities = 1, .l1_global = 1, .l1_local = 1,
        .shared_sm = SHARED_SM, .registers_sm = REGISTERS, .managed = 1, .concurrent_managed = 1,
        .preemption = 1, .cooperative = 1, .shared_optin = SHARED_OPTIN, .blocks_sm = BLOCKS_SM,
        .shared_reserved = SHARED_RESERVED,
#if CUDART_MAJOR < 13
        .clock_khz = CLOCK_KHZ, .texture_1d_linear = LINEAR_TEXELS, .memory_khz = MEMORY_KHZ, .overlap = 1,
        .double_ratio = 2,
#endif
#if CUDART_MAJOR > 11
        .host_register = 1, .pools = 1, .clusters = 1,
#endif
    };
    return CUDA_OK;
}
API_ALSO(cudaGetDeviceProperties_v2, cudaGetDeviceProperties);

// Of cudaDeviceGetAttribute, by their numbers.
static const struct {
    int attribute, value;
} attributes[] = { { 1, THREADS_BLOCK },
                   { 2, THREADS_BLOCK },
                   { 3, THREADS_BLOCK },
                   { 4, THREADS_BLOCK_Z },
                   { 5, INT32_MAX },
                   { 6, BLOCKS_GRID_YZ },
                   { 7, BLOCKS_GRID_YZ },
                   { 8, SHARED_BLOCK },
                   { 9, 65536 },
                   { 10, 32 },
                   { 11, INT32_MAX },
                   { 12, REGISTERS },
                   { 13, CLOCK_KHZ },
                   { 14, TEXTURE_ALIGNMENT },
                   { 15, 1 },
                   { 16, SMS },
                   { 19, 1 },
                   { 21, TEXELS_1D },
                   { 22, TEXELS_1D },
                   { 23, TEXELS_2D_HIGH },
                   { 24, TEXELS_3D },
                   { 25, TEXELS_3D },
                   { 26, TEXELS_3D },
                   { 27, TEXELS_EDGE },
                   { 28, TEXELS_EDGE },
                   { 29, TEXEL_LAYERS },
                   { 30, TEXTURE_ALIGNMENT },
                   { 31, 1 },
                   { 32, 1 },
                   { 36, MEMORY_KHZ },
                   { 37, BUS_BITS },
                   { 38, L2_BYTES },
                   { 39, THREADS_SM },
                   { 40, 3 },
                   { 41, 1 },
                   { 42, TEXELS_EDGE },
                   { 43, TEXEL_LAYERS },
                   { 45, TEXELS_EDGE },
                   { 46, TEXELS_EDGE },
                   { 47, TEXELS_3D_OTHER },
                   { 48, TEXELS_3D_OTHER },
                   { 49, TEXELS_EDGE },
                   { 51, TEXTURE_PITCH_ALIGNMENT },
                   { 52, TEXELS_EDGE },
                   { 53, TEXELS_EDGE },
                   { 54, CUBE_LAYERS },
                   { 55, TEXELS_EDGE },
                   { 56, TEXELS_1D },
                   { 57, TEXELS_2D_HIGH },
                   { 58, TEXELS_3D },
                   { 59, TEXELS_3D },
                   { 60, TEXELS_3D },
                   { 61, TEXELS_EDGE },
                   { 62, TEXEL_LAYERS },
                   { 63, TEXELS_EDGE },
                   { 64, TEXELS_EDGE },
                   { 65, TEXEL_LAYERS },
                   { 66, TEXELS_EDGE },
                   { 67, TEXELS_EDGE },
                   { 68, CUBE_LAYERS },
                   { 69, LINEAR_TEXELS },
                   { 70, TEXELS_1D },
                   { 71, LINEAR_HIGH },
                   { 72, LINEAR_PITCH },
                   { 75, MAJOR },
                   { 76, MINOR },
                   { 78, 1 },
                   { 79, 1 },
                   { 80, 1 },
                   { 81, SHARED_SM },
                   { 82, REGISTERS },
                   { 83, 1 },
                   { 87, 2 },
                   { 89, 1 },
                   { 90, 1 },
                   { 95, 1 },
                   { 97, SHARED_OPTIN },
                   { 99, 1 },
                   { 106, BLOCKS_SM },
                   { 111, SHARED_RESERVED },
                   { 115, 1 },
                   { 120, 1 } };

API(cudaDeviceGetAttribute, int *out, int attribute, int device)
{
    ENTER();
    enum { ATTRIBUTES = 148 };
    if (!out || device != 0)
        return exec_answer(out ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
    if (attribute < 1 || attribute >= ATTRIBUTES)
        return exec_answer(CUDA_INVALID_VALUE);
    *out = 0;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (attributes[i].attribute == attribute)
            *out = attributes[i].value;
    return CUDA_OK;
}

static cuda_error answer_int(int *out, int value)
{
    if (!out)
        return exec_answer(CUDA_INVALID_VALUE);
    *out = value;
    return CUDA_OK;
}

API(cudaDriverGetVersion, int *out)
{
    ENTER();
    return answer_int(out, VERSION);
}

API(cudaRuntimeGetVersion, int *out)
{
    ENTER();
    return answer_int(out, VERSION);
}

// ---- which device -------------------------------------------------------------------------------------------------------

API(cudaGetDeviceCount, int *out)
{
    ENTER();
    return answer_int(out, 1);
}

API(cudaGetDevice, int *out)
{
    ENTER();
    return answer_int(out, 0);
}

API(cudaSetDevice, int device)
{
    ENTER();
    return device ? exec_answer(CUDA_INVALID_DEVICE) : exec_ready();
}

API(cudaInitDevice, int device, unsigned device_flags, unsigned flags)
{
    ENTER();
    return cudaSetDevice(device);
}

API(cudaChooseDevice, int *out, const struct cuda_properties *wanted)
{
    ENTER();
    return wanted ? answer_int(out, 0) : exec_answer(CUDA_INVALID_VALUE);
}

API(cudaSetValidDevices, int *devices, int count)
{
    return CUDA_OK;
}

enum { FLAG_MAPS_HOST = 8 }; // always set, as every device of today maps the host's memory
static unsigned device_flags;

API(cudaSetDeviceFlags, unsigned flags)
{
    ENTER();
    enum { FLAGS_KNOWN = 0xff };
    if (flags & ~(unsigned)FLAGS_KNOWN)
        return exec_answer(CUDA_INVALID_VALUE);
    device_flags = flags;
    return CUDA_OK;
}

API(cudaGetDeviceFlags, unsigned *out)
{
    ENTER();
    if (!out)
        return exec_answer(CUDA_INVALID_VALUE);
    *out = device_flags | FLAG_MAPS_HOST;
    return CUDA_OK;
}

static const char bus_id[] = "0000:00:00.0"; // domain, bus, device, function

API(cudaDeviceGetPCIBusId, char *out, int length, int device)
{
    ENTER();
    if (!out || length < (int)sizeof bus_id || device)
        return exec_answer(out && device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
    memcpy(out, bus_id, sizeof bus_id);
    return CUDA_OK;
}

API(cudaDeviceGetByPCIBusId, int *out, const char *id)
{
    ENTER();
    unsigned part[4] = { 0 };
    if (!out || !id ||
        (sscanf(id, "%x:%x:%x.%x", &part[0], &part[1], &part[2], &part[3]) < 3 &&
         sscanf(id, "%x:%x.%x", &part[1], &part[2], &part[3]) < 2))
        return exec_answer(CUDA_INVALID_VALUE);
    if (part[0] || part[1] || part[2] || part[3])
        return exec_answer(CUDA_INVALID_DEVICE);
    *out = 0;
    return CUDA_OK;
}

API(cudaDeviceCanAccessPeer, int *out, int device, int peer)
{
    ENTER();
    return device || peer ? exec_answer(CUDA_INVALID_DEVICE) : answer_int(out, 0);
}

API(cudaDeviceEnablePeerAccess, int peer, unsigned flags)
{
    ENTER();
    return exec_answer(peer ? CUDA_INVALID_DEVICE : CUDA_PEER_UNSUPPORTED);
}

API(cudaDeviceDisablePeerAccess, int peer)
{
    ENTER();
    return exec_answer(peer ? CUDA_INVALID_DEVICE : CUDA_PEER_NOT_ENABLED);
}

// ---- settings, most of which change nothing here -----------------------------------------------------------------------------------

enum { LIMITS = 8, LIMIT_STACK = 0, LIMIT_HEAP = 2, LIMIT_DEPTH = 3, STACK_MOST = 512 << 10 };
static size_t limits[LIMITS] = {
    1024, 132 << 16, 8 << 20, 2, 2048, 128, 0, 0
}; // as an H200 with driver 580 tells

API(cudaDeviceSetLimit, int limit, size_t value)
{
    ENTER();
    const cuda_error unsafe = graph_unsafe();
    if (unsafe || limit < 0 || limit >= LIMITS || (limit == LIMIT_STACK && value > STACK_MOST))
        return unsafe ? unsafe : exec_answer(CUDA_INVALID_VALUE);
    if (limit == LIMIT_DEPTH && exec_major > 11)
        return exec_answer(CUDA_UNSUPPORTED_LIMIT);
    if (limit == LIMIT_HEAP && !sim_memory_heap(exec.memory, value))
        return exec_answer(CUDA_INVALID_VALUE);
    limits[limit] = value;
    return CUDA_OK;
}
API_ALSO(cudaThreadSetLimit, cudaDeviceSetLimit);

API(cudaDeviceGetLimit, size_t *out, int limit)
{
    ENTER();
    if (!out || limit < 0 || limit >= LIMITS)
        return exec_answer(CUDA_INVALID_VALUE);
    *out = limits[limit];
    return CUDA_OK;
}
API_ALSO(cudaThreadGetLimit, cudaDeviceGetLimit);

static int cache_config;

API(cudaDeviceSetCacheConfig, int config)
{
    ENTER();
    if (config < 0 || config >= CACHE_CONFIGS)
        return exec_answer(CUDA_INVALID_VALUE);
    cache_config = config;
    return CUDA_OK;
}
API_ALSO(cudaThreadSetCacheConfig, cudaDeviceSetCacheConfig);

API(cudaDeviceGetCacheConfig, int *out)
{
    ENTER();
    if (!out)
        return exec_answer(CUDA_INVALID_VALUE);
    *out = cache_config;
    return CUDA_OK;
}
API_ALSO(cudaThreadGetCacheConfig, cudaDeviceGetCacheConfig);

API(cudaDeviceSetSharedMemConfig, int config)
{
    return CUDA_OK;
}

API(cudaDeviceGetSharedMemConfig, int *out)
{
    ENTER();
    return answer_int(out, 1);
}

API(cudaDeviceGetStreamPriorityRange, int *least, int *most)
{
    ENTER();
    if (least)
        *least = 0;
    if (most)
        *most = STREAM_PRIORITY_MOST;
    return CUDA_OK;
}

// There is one device, which is no peer of itself.
API(cudaDeviceGetP2PAttribute, int *out, int attribute, int from, int to)
{
    ENTER();
    return exec_answer(out ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
}

API(cudaCtxResetPersistingL2Cache, void)
{
    return CUDA_OK;
}

API(cudaProfilerStart, void)
{
    return CUDA_OK;
}

API(cudaProfilerStop, void)
{
    return CUDA_OK;
}

API_OF(struct cuda_channel, cudaCreateChannelDesc, int x, int y, int z, int w, int kind)
{
    return (struct cuda_channel){ x, y, z, w, kind };
}
