// The types of the CUDA runtime's interface as far as it is there, with the layout that programs were compiled for.
#ifndef WARPBOOK_EXEC_CUDA_H
#define WARPBOOK_EXEC_CUDA_H

#include <stddef.h>
#include <stdint.h>

typedef int cuda_error;
enum {
    CUDA_OK = 0,
    CUDA_INVALID_VALUE = 1,
    CUDA_NO_MEMORY = 2,
    CUDA_INVALID_CONFIGURATION = 9,
    CUDA_INVALID_SYMBOL = 13,
    CUDA_INVALID_CHANNEL = 20,
    CUDA_INVALID_DIRECTION = 21,
    CUDA_INVALID_FILTER = 26,
    CUDA_INVALID_NORM = 27,
    CUDA_MISSING_CONFIGURATION = 52,
    CUDA_INVALID_PITCH = 12,
    CUDA_INVALID_FUNCTION = 98,
    CUDA_INVALID_DEVICE = 101,
    CUDA_NO_IMAGE = 209,
    CUDA_UNSUPPORTED_LIMIT = 215,
    CUDA_PEER_UNSUPPORTED = 217,
    CUDA_INVALID_PTX = 218,
    CUDA_INVALID_HANDLE = 400,
    CUDA_ILLEGAL_STATE = 401,
    CUDA_ILLEGAL_ADDRESS = 700,
    CUDA_TOO_MANY_RESOURCES = 701,
    CUDA_TIMEOUT = 702,
    CUDA_PEER_NOT_ENABLED = 705,
    CUDA_ASSERT = 710,
    CUDA_ALREADY_REGISTERED = 712,
    CUDA_NOT_REGISTERED = 713,
    CUDA_ILLEGAL_INSTRUCTION = 715,
    CUDA_MISALIGNED = 716,
    CUDA_LAUNCH_FAILURE = 719,
    CUDA_TOO_LARGE_COOPERATIVE = 720,
    CUDA_NOT_SUPPORTED = 801,
    CUDA_CAPTURE_UNSUPPORTED = 900,
    CUDA_CAPTURE_INVALIDATED = 901,
    CUDA_CAPTURE_MERGE = 902,
    CUDA_CAPTURE_UNMATCHED = 903,
    CUDA_CAPTURE_UNJOINED = 904,
    CUDA_CAPTURE_ISOLATION = 905,
    CUDA_CAPTURE_IMPLICIT = 906,
    CUDA_CAPTURED_EVENT = 907,
    CUDA_GRAPH_UPDATE = 910,
    CUDA_INVALID_CLUSTER = 912,
};

struct cuda_dim3 {
    unsigned x, y, z;
};
struct cuda_extent {
    size_t width, height, depth;
};
struct cuda_position {
    size_t x, y, z;
};
struct cuda_pitched {
    void *pointer;
    size_t pitch, width, height;
};
struct cuda_copy_3d {
    void *from_array;
    struct cuda_position from_position;
    struct cuda_pitched from;
    void *to_array;
    struct cuda_position to_position;
    struct cuda_pitched to;
    struct cuda_extent extent;
    int kind;
};
struct cuda_fill {
    void *to;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height; // elements; rows
};
struct cuda_pointer {
    int type, device;
    void *device_pointer, *host_pointer;
    // What follows in CUDA 13 is left alone: older programs have no room for it.
};
struct cuda_function {
    size_t shared_bytes, constant_bytes, local_bytes;
    int most_threads, registers, ptx_version, binary_version, cache_mode;
    int most_dynamic_shared, carveout;
    // What follows in CUDA 12 is about clusters.
};
struct cuda_launch_attribute {
    int id, pad;
    union {
        char bytes[64];
        int cooperative;
        unsigned cluster[3];
    } value;
};
enum { LAUNCH_COOPERATIVE = 2, LAUNCH_CLUSTER = 4, LAUNCH_ATTRIBUTE_LAST = 16 };
enum { LAUNCH_ATTRIBUTES = 2 }; // those of the above that a launch can have
struct cuda_launch_config {
    struct cuda_dim3 grid, block;
    size_t shared_bytes;
    void *stream;
    struct cuda_launch_attribute *attributes;
    unsigned attribute_count;
};
struct cuda_location {
    int type, id;
};
enum {
    CHANNEL_SIGNED,
    CHANNEL_UNSIGNED,
    CHANNEL_FLOAT
}; // of whole numbers and floats; the other kinds are compressed
struct cuda_channel {
    int x, y, z, w, kind;
};
enum { ARRAY_LAYERED = 1, ARRAY_SURFACE = 2, ARRAY_CUBE = 4, ARRAY_GATHER = 8 };
enum { RESOURCE_ARRAY, RESOURCE_MIPMAPPED, RESOURCE_LINEAR, RESOURCE_PITCH };
struct cuda_resource {
    int type;
    union {
        void *array;
        struct {
            void *pointer;
            struct cuda_channel format;
            size_t bytes;
        } linear;
        struct {
            void *pointer;
            struct cuda_channel format;
            size_t width, height, pitch; // texels, rows, bytes
        } pitch;
    } of;
    // What follows in CUDA 13 is left alone.
};
struct cuda_texture {
    int address[3], filter, unit, srgb;
    float border[4];
    int normalised;
    unsigned anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most;
    int no_trilinear;
    int seamless; // since CUDA 12
};
enum { VIEW_COMPRESSED = 25 }; // formats from here on
struct cuda_view {
    int format; // 0: none, which is no view
    size_t width, height, depth;
    unsigned level[2], layer[2]; // the first and the last one
    // What follows in CUDA 13 is left alone.
};
struct cuda_uuid {
    char bytes[16];
};

#endif
