// Fetches from textures of every kind, as numbers that a GPU's and the simulator's can be compared by: a line for each
// case with a hash of all its bits, then surfaces, then what the runtime answers to mistakes. `textures FILE` writes the bits.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cases.h"

#define CHECK(call)                                                                                            \
    do {                                                                                                       \
        cudaError_t code_ = (call);                                                                            \
        if (code_) {                                                                                           \
            printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(code_));                             \
            cudaGetLastError();                                                                                \
        }                                                                                                      \
    } while (0)

// ---- fetches ----------------------------------------------------------------------------------------------------------

struct points {
    const float *x, *y, *z;
    const int *layer, *index;
};
__device__ uint4 bits_of(float4 v)
{
    return make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z), __float_as_uint(v.w));
}
__device__ uint4 bits_of(int4 v)
{
    return make_uint4(v.x, v.y, v.z, v.w);
}
__device__ uint4 bits_of(uint4 v)
{
    return v;
}
#define FETCH(name, how)                                                                                       \
    extern "C" __global__ void name##_f(cudaTextureObject_t t, points p, uint4 *out)                           \
    {                                                                                                          \
        typedef float4 T;                                                                                      \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                                   \
        out[i] = bits_of(how);                                                                                 \
    }                                                                                                          \
    extern "C" __global__ void name##_s(cudaTextureObject_t t, points p, uint4 *out)                           \
    {                                                                                                          \
        typedef int4 T;                                                                                        \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                                   \
        out[i] = bits_of(how);                                                                                 \
    }                                                                                                          \
    extern "C" __global__ void name##_u(cudaTextureObject_t t, points p, uint4 *out)                           \
    {                                                                                                          \
        typedef uint4 T;                                                                                       \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                                   \
        out[i] = bits_of(how);                                                                                 \
    }
FETCH(f1d, tex1D<T>(t, p.x[i]))
FETCH(f2d, tex2D<T>(t, p.x[i], p.y[i]))
FETCH(f3d, tex3D<T>(t, p.x[i], p.y[i], p.z[i]))
FETCH(f1dl, tex1DLayered<T>(t, p.x[i], p.layer[i]))
FETCH(f2dl, tex2DLayered<T>(t, p.x[i], p.y[i], p.layer[i]))
FETCH(fcube, texCubemap<T>(t, p.x[i], p.y[i], p.z[i]))
FETCH(fcubel, texCubemapLayered<T>(t, p.x[i], p.y[i], p.z[i], p.layer[i]))
FETCH(flinear, tex1Dfetch<T>(t, p.index[i]))
FETCH(fgather0, tex2Dgather<T>(t, p.x[i], p.y[i], 0))
FETCH(fgather1, tex2Dgather<T>(t, p.x[i], p.y[i], 1))
FETCH(fgather2, tex2Dgather<T>(t, p.x[i], p.y[i], 2))
FETCH(fgather3, tex2Dgather<T>(t, p.x[i], p.y[i], 3))
FETCH(flevel, tex2DLod<T>(t, p.x[i], p.y[i], p.z[i]))
FETCH(fgradient, tex2DGrad<T>(t, p.x[i], p.y[i], make_float2(p.z[i], 0), make_float2(0, p.z[i])))

typedef void (*kernel)(cudaTextureObject_t, points, uint4 *);
#define THREE(name) { name##_f, name##_s, name##_u }
static const kernel kernels[][3] = { THREE(f1d), THREE(f2d), THREE(f3d), THREE(f1dl), THREE(f2dl), THREE(fcube), THREE(fcubel),
                                     THREE(f2d), THREE(flinear), THREE(fgather0), THREE(flevel), THREE(fgradient) };
static const kernel gathers[][3] = { THREE(fgather0), THREE(fgather1), THREE(fgather2), THREE(fgather3) };

static unsigned flags_of(const fetch_case &c)
{
    switch (c.shape) {
    case SHAPE_1D_LAYERED:
    case SHAPE_2D_LAYERED:
        return cudaArrayLayered;
    case SHAPE_CUBE:
        return cudaArrayCubemap;
    case SHAPE_CUBE_LAYERED:
        return cudaArrayCubemap | cudaArrayLayered;
    case SHAPE_GATHER:
        return cudaArrayTextureGather;
    default:
        return 0;
    }
}

static cudaChannelFormatDesc format_of(enum texel t, int channels)
{
    const int bits = texel_bytes(t) * 8;
    return cudaCreateChannelDesc(bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0,
                                 texel_is_float(t)    ? cudaChannelFormatKindFloat
                                 : texel_is_signed(t) ? cudaChannelFormatKindSigned
                                                      : cudaChannelFormatKindUnsigned);
}

static void run_case(const fetch_case &c, const points &p, uint4 *out)
{
    int size[3];
    case_size(&c, size);
    const size_t texel = texel_bytes(c.texel) * c.channels;
    const size_t rows = (size_t)(size[1] ? size[1] : 1) * (size[2] ? size[2] : 1), count = size[0] * rows;
    std::vector<unsigned char> texels(count * texel);
    fill_texels(&c, count, texels.data());
    const cudaChannelFormatDesc format = format_of(c.texel, c.channels);
    cudaResourceDesc resource = {};
    cudaArray_t array = NULL;
    void *memory = NULL;
    if (c.shape == SHAPE_LINEAR) {
        CHECK(cudaMalloc(&memory, count * texel));
        CHECK(cudaMemcpy(memory, texels.data(), count * texel, cudaMemcpyHostToDevice));
        resource.resType = cudaResourceTypeLinear;
        resource.res.linear.devPtr = memory;
        resource.res.linear.desc = format;
        resource.res.linear.sizeInBytes = count * texel;
    } else if (c.shape == SHAPE_PITCH) {
        size_t pitch;
        CHECK(cudaMallocPitch(&memory, &pitch, size[0] * texel, size[1]));
        CHECK(cudaMemcpy2D(memory, pitch, texels.data(), size[0] * texel, size[0] * texel, size[1], cudaMemcpyHostToDevice));
        resource.resType = cudaResourceTypePitch2D;
        resource.res.pitch2D.devPtr = memory;
        resource.res.pitch2D.desc = format;
        resource.res.pitch2D.width = size[0];
        resource.res.pitch2D.height = size[1];
        resource.res.pitch2D.pitchInBytes = pitch;
    } else {
        CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(size[0], size[1], size[2]), flags_of(c)));
        cudaMemcpy3DParms copy = {};
        copy.srcPtr = make_cudaPitchedPtr(texels.data(), size[0] * texel, size[0], size[1] ? size[1] : 1);
        copy.dstArray = array;
        copy.extent = make_cudaExtent(size[0], size[1] ? size[1] : 1, size[2] ? size[2] : 1);
        copy.kind = cudaMemcpyHostToDevice;
        CHECK(cudaMemcpy3D(&copy));
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
    }
    cudaTextureDesc how = {};
    for (int i = 0; i < 3; i++)
        how.addressMode[i] = (cudaTextureAddressMode)c.address;
    how.filterMode = c.linear ? cudaFilterModeLinear : cudaFilterModePoint;
    how.readMode = c.unit ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    how.normalizedCoords = c.normalised;
    for (int i = 0; i < 4 && c.border; i++)
        how.borderColor[i] = 0.25f * i + 0.3f;
    cudaTextureObject_t texture = 0;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    const int type = c.unit || texel_is_float(c.texel) ? 0 : texel_is_signed(c.texel) ? 1 : 2;
    const kernel run = c.shape == SHAPE_GATHER ? gathers[c.component][type] : kernels[c.shape][type];
    run<<<POINTS / 128, 128>>>(texture, p, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaDestroyTextureObject(texture));
    if (array)
        CHECK(cudaFreeArray(array));
    CHECK(cudaFree(memory));
}

template <class T> static T *to_device(const std::vector<T> &from)
{
    T *to;
    CHECK(cudaMalloc(&to, from.size() * sizeof(T)));
    CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    return to;
}

static void fetches(FILE *bits)
{
    uint4 *out;
    fetch_case c;
    CHECK(cudaMalloc(&out, POINTS * sizeof(uint4)));
    for (int number = 0; case_at(number, &c); number++) {
        std::vector<float> at[3];
        std::vector<int> layer, index;
        std::vector<uint4> got(POINTS);
        char name[96];
        for (int i = 0; i < POINTS; i++) {
            for (int d = 0; d < 3; d++)
                at[d].push_back(coordinate(&c, d, i));
            layer.push_back(layer_at(i));
            index.push_back(index_at(i));
        }
        const points p = { to_device(at[0]), to_device(at[1]), to_device(at[2]), to_device(layer), to_device(index) };
        CHECK(cudaMemset(out, 0xcd, POINTS * sizeof(uint4)));
        run_case(c, p, out);
        CHECK(cudaMemcpy(got.data(), out, POINTS * sizeof(uint4), cudaMemcpyDeviceToHost));
        case_name(&c, name);
        printf("%s: %016llx\n", name, (unsigned long long)hash_bits(&got[0].x, POINTS * 4));
        if (bits)
            fwrite(got.data(), sizeof(uint4), POINTS, bits);
        const void *all[] = { p.x, p.y, p.z, p.layer, p.index };
        for (const void *memory : all)
            CHECK(cudaFree((void *)memory));
    }
    CHECK(cudaFree(out));
}

// ---- surfaces -----------------------------------------------------------------------------------------------------------

template <class T> __device__ T texel_of(int i)
{
    T value;
    for (int k = 0; k < (int)sizeof(T); k++)
        ((unsigned char *)&value)[k] = (unsigned char)(i * 37 + k * 11 + 5);
    return value;
}
template <class T> __device__ unsigned sum_of(T value)
{
    unsigned sum = 0;
    for (int k = 0; k < (int)sizeof(T); k++)
        sum = sum * 31 + ((unsigned char *)&value)[k];
    return sum;
}
enum { SURFACE_1D, SURFACE_2D, SURFACE_3D, SURFACE_1D_LAYERED, SURFACE_2D_LAYERED, SURFACE_CUBE, SURFACE_CUBE_LAYERED, SURFACES };
// A thread for each texel of a box that is larger than the array by two at each end.
template <class T, int shape, cudaSurfaceBoundaryMode mode>
__global__ void surface(cudaSurfaceObject_t s, int3 size, int edge, bool write, unsigned *sums)
{
    const int x = (int)threadIdx.x - edge, y = (int)blockIdx.x - edge, z = (int)blockIdx.y - edge;
    const int number = (threadIdx.x * gridDim.x + blockIdx.x) * gridDim.y + blockIdx.y, bytes = x * (int)sizeof(T);
    const T value = texel_of<T>(number);
    T got = value;
    const bool inside = x >= 0 && y >= 0 && z >= 0 && x < size.x && y < size.y && z < size.z;
    const bool flat = shape == SURFACE_1D || shape == SURFACE_1D_LAYERED, deep = shape >= SURFACE_3D;
    if ((flat && y) || (!deep && z) || (mode == cudaBoundaryModeTrap && !inside))
        return;
    if (write && !(mode == cudaBoundaryModeClamp && !inside)) { // several threads would write one texel
        if (shape == SURFACE_1D)
            surf1Dwrite(value, s, bytes, mode);
        if (shape == SURFACE_2D)
            surf2Dwrite(value, s, bytes, y, mode);
        if (shape == SURFACE_3D)
            surf3Dwrite(value, s, bytes, y, z, mode);
        if (shape == SURFACE_1D_LAYERED)
            surf1DLayeredwrite(value, s, bytes, z, mode);
        if (shape == SURFACE_2D_LAYERED)
            surf2DLayeredwrite(value, s, bytes, y, z, mode);
        if (shape == SURFACE_CUBE)
            surfCubemapwrite(value, s, bytes, y, z, mode);
        if (shape == SURFACE_CUBE_LAYERED)
            surfCubemapLayeredwrite(value, s, bytes, y, z, mode);
    }
    if (!write) {
        if (shape == SURFACE_1D)
            surf1Dread(&got, s, bytes, mode);
        if (shape == SURFACE_2D)
            surf2Dread(&got, s, bytes, y, mode);
        if (shape == SURFACE_3D)
            surf3Dread(&got, s, bytes, y, z, mode);
        if (shape == SURFACE_1D_LAYERED)
            surf1DLayeredread(&got, s, bytes, z, mode);
        if (shape == SURFACE_2D_LAYERED)
            surf2DLayeredread(&got, s, bytes, y, z, mode);
        if (shape == SURFACE_CUBE)
            surfCubemapread(&got, s, bytes, y, z, mode);
        if (shape == SURFACE_CUBE_LAYERED)
            surfCubemapLayeredread(&got, s, bytes, y, z, mode);
        sums[number] = sum_of(got);
    }
}

template <class T, int shape> static void surfaces(const char *name, int bits, int channels)
{
    static const char *const shapes[] = { "1d", "2d", "3d", "1d-layered", "2d-layered", "cube", "cube-layered" };
    static const int sizes[][3] = { { 9, 1, 1 }, { 8, 5, 1 }, { 6, 5, 4 }, { 9, 1, 4 }, { 8, 5, 3 }, { 6, 6, 6 }, { 4, 4, 12 } };
    const int *n = sizes[shape], edge = 2;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc(bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                                               channels > 2 ? bits : 0, cudaChannelFormatKindUnsigned);
    cudaArray_t array;
    const bool flat = shape == SURFACE_1D || shape == SURFACE_1D_LAYERED, deep = shape >= SURFACE_3D;
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(n[0], flat ? 0 : n[1], deep ? n[2] : 0),
                            cudaArraySurfaceLoadStore |
                                (shape == SURFACE_1D_LAYERED || shape == SURFACE_2D_LAYERED || shape == SURFACE_CUBE_LAYERED ? cudaArrayLayered : 0) |
                                (shape >= SURFACE_CUBE ? cudaArrayCubemap : 0)));
    std::vector<unsigned char> texels(n[0] * n[1] * n[2] * sizeof(T), 0x77);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels.data(), n[0] * sizeof(T), n[0], n[1]);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(n[0], n[1], n[2]);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t s;
    CHECK(cudaCreateSurfaceObject(&s, &resource));
    const int3 size = make_int3(n[0], n[1], n[2]);
    const dim3 grid(n[1] + 2 * edge, n[2] + 2 * edge), block(n[0] + 2 * edge);
    std::vector<unsigned> sums(grid.x * grid.y * block.x, 0);
    unsigned *there = to_device(sums);
    printf("surface %s %s:", shapes[shape], name);
    for (int mode = 0; mode < 6; mode++) {
        const bool write = mode % 2 == 0;
        if (mode / 2 == 0)
            surface<T, shape, cudaBoundaryModeTrap><<<grid, block>>>(s, size, edge, write, there);
        if (mode / 2 == 1)
            surface<T, shape, cudaBoundaryModeZero><<<grid, block>>>(s, size, edge, write, there);
        if (mode / 2 == 2)
            surface<T, shape, cudaBoundaryModeClamp><<<grid, block>>>(s, size, edge, write, there);
        CHECK(cudaMemcpy(sums.data(), there, sums.size() * 4, cudaMemcpyDeviceToHost));
        if (!write)
            printf(" %016llx", (unsigned long long)hash_bits(sums.data(), sums.size()));
    }
    cudaMemcpy3DParms back = {};
    back.srcArray = array;
    back.dstPtr = copy.srcPtr;
    back.extent = copy.extent;
    back.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&back));
    uint64_t hash = 14695981039346656037ull;
    for (unsigned char byte : texels)
        hash = (hash ^ byte) * 1099511628211ull;
    printf(" left %016llx\n", (unsigned long long)hash);
    CHECK(cudaDestroySurfaceObject(s));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(there));
}

template <int shape> static void surfaces_of_shape()
{
    surfaces<unsigned char, shape>("b8", 8, 1);
    surfaces<ushort2, shape>("v2.b16", 16, 2);
    surfaces<unsigned, shape>("b32", 32, 1);
    surfaces<uint2, shape>("v2.b32", 32, 2);
    surfaces<uint4, shape>("v4.b32", 32, 4);
}

// ---- mistakes, copies and facts -------------------------------------------------------------------------------------------

static const char *name(cudaError_t code)
{
    cudaGetLastError();
    return cudaGetErrorName(code);
}

static void say(const char *what, cudaError_t code)
{
    printf("%s: %s\n", what, name(code));
}

static void array_of(const char *what, int bits, int x, int y, int z, unsigned flags)
{
    cudaArray_t array = NULL;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc(bits, 0, 0, 0, cudaChannelFormatKindUnsigned);
    const cudaError_t code = cudaMalloc3DArray(&array, &format, make_cudaExtent(x, y, z), flags);
    cudaChannelFormatDesc d = {};
    cudaExtent e = {};
    unsigned f = 0;
    printf("array %s: %s", what, name(code));
    if (!code) {
        printf(", info %s", name(cudaArrayGetInfo(&d, &e, &f, array)));
        printf(" %d %d %d %d %d, %zu %zu %zu, flags %x", d.x, d.y, d.z, d.w, (int)d.f, e.width, e.height, e.depth, f);
        printf(", free %s", name(cudaFreeArray(array)));
    }
    printf("\n");
}

static void arrays()
{
    array_of("1d", 32, 10, 0, 0, 0);
    array_of("2d", 32, 10, 5, 0, 0);
    array_of("3d", 32, 10, 5, 2, 0);
    array_of("3d without rows", 32, 10, 0, 2, 0);
    array_of("1d layered", 32, 10, 0, 3, cudaArrayLayered);
    array_of("2d layered", 32, 10, 4, 3, cudaArrayLayered | cudaArraySurfaceLoadStore);
    array_of("layered without layers", 32, 10, 4, 0, cudaArrayLayered);
    array_of("cube", 32, 8, 8, 6, cudaArrayCubemap);
    array_of("cube of five", 32, 8, 8, 5, cudaArrayCubemap);
    array_of("cube not square", 32, 8, 7, 6, cudaArrayCubemap);
    array_of("cubes", 32, 8, 8, 12, cudaArrayCubemap | cudaArrayLayered);
    array_of("gather", 32, 8, 8, 0, cudaArrayTextureGather);
    array_of("gather in 1d", 32, 8, 0, 0, cudaArrayTextureGather);
    array_of("gather in 3d", 32, 8, 8, 8, cudaArrayTextureGather);
    array_of("empty", 32, 0, 0, 0, 0);
    array_of("too wide", 32, 200000, 0, 0, 0);
    array_of("too high", 32, 10, 70000, 0, 0);
    array_of("too deep", 32, 10, 10, 20000, 0);
    array_of("24 bits", 24, 10, 10, 0, 0);
    array_of("flag 0x100", 32, 10, 10, 0, 0x100);
}

static void texture_of(const char *what, cudaResourceDesc resource, cudaTextureDesc how)
{
    cudaTextureObject_t t = 0;
    say(what, cudaCreateTextureObject(&t, &resource, &how, NULL));
    if (t)
        cudaDestroyTextureObject(t);
}

static void mistakes()
{
    cudaArray_t array, other, plain;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(), ints = cudaCreateChannelDesc<int>(),
                                bytes = cudaCreateChannelDesc<uchar4>();
    char *memory, host[4096] = {};
    cudaMalloc(&memory, 1 << 20);
    cudaMallocArray(&array, &format, 16, 8, cudaArraySurfaceLoadStore);
    cudaMallocArray(&other, &bytes, 16, 8);
    cudaMallocArray(&plain, &ints, 16, 8);
    cudaTextureDesc how = {}, linear = {}, unit = {};
    linear.filterMode = cudaFilterModeLinear;
    unit.readMode = cudaReadModeNormalizedFloat;
    cudaResourceDesc a = {}, l = {}, p = {}, b = {}, i = {}, none = {};
    a.resType = b.resType = i.resType = none.resType = cudaResourceTypeArray;
    a.res.array.array = array;
    b.res.array.array = other;
    i.res.array.array = plain;
    l.resType = cudaResourceTypeLinear;
    l.res.linear.devPtr = memory;
    l.res.linear.desc = format;
    l.res.linear.sizeInBytes = 4096;
    p.resType = cudaResourceTypePitch2D;
    p.res.pitch2D.devPtr = memory;
    p.res.pitch2D.desc = format;
    p.res.pitch2D.width = 30;
    p.res.pitch2D.height = 10;
    p.res.pitch2D.pitchInBytes = 512;
    texture_of("texture of an array", a, how);
    texture_of("linear filter of floats", a, linear);
    texture_of("linear filter of whole numbers", i, linear);
    texture_of("linear filter of bytes as they are", b, linear);
    texture_of("floats as unit", a, unit);
    texture_of("32 bits as unit", i, unit);
    texture_of("bytes as unit", b, unit);
    texture_of("no array", none, how);
    texture_of("linear memory", l, how);
    texture_of("linear memory, linear filter", l, linear);
    l.res.linear.devPtr = memory + 4;
    texture_of("linear memory at byte 4", l, how);
    l.res.linear.devPtr = memory + 32;
    texture_of("linear memory at byte 32", l, how);
    l.res.linear.devPtr = memory + 256;
    texture_of("linear memory at byte 256", l, how);
    l.res.linear.devPtr = memory;
    l.res.linear.sizeInBytes = 4098;
    texture_of("linear memory of 4098 bytes", l, how);
    l.res.linear.sizeInBytes = 0;
    texture_of("linear memory of 0 bytes", l, how);
    l.res.linear.sizeInBytes = (size_t)1 << 40;
    texture_of("linear memory of a terabyte", l, how);
    l.res.linear.sizeInBytes = 4096;
    l.res.linear.devPtr = host;
    texture_of("linear memory of the host", l, how);
    l.res.linear.devPtr = NULL;
    texture_of("linear memory at null", l, how);
    texture_of("pitched", p, how);
    texture_of("pitched, linear filter", p, linear);
    const int pitches[] = { 100, 116, 120, 128, 144, 160, 112, 2 };
    for (int pitch : pitches) {
        char text[64];
        snprintf(text, sizeof text, "a pitch of %d", pitch);
        p.res.pitch2D.pitchInBytes = pitch;
        texture_of(text, p, how);
    }
    p.res.pitch2D.pitchInBytes = 512;
    p.res.pitch2D.devPtr = memory + 32;
    texture_of("pitched at byte 32", p, how);
    p.res.pitch2D.devPtr = memory + 64;
    texture_of("pitched at byte 64", p, how);
    p.res.pitch2D.devPtr = memory + 512;
    texture_of("pitched at byte 512", p, how);
    cudaTextureDesc wrap = how;
    wrap.addressMode[0] = wrap.addressMode[1] = cudaAddressModeWrap;
    texture_of("wrap without normalised coordinates", a, wrap);
    wrap.addressMode[0] = (cudaTextureAddressMode)7;
    texture_of("an address mode 7", a, wrap);
    cudaSurfaceObject_t s = 0;
    say("surface", cudaCreateSurfaceObject(&s, &a));
    say("destroyed", cudaDestroySurfaceObject(s));
    say("again", cudaDestroySurfaceObject(s));
    say("surface of an array without the flag", cudaCreateSurfaceObject(&s, &i));
    l.res.linear.devPtr = memory;
    say("surface of linear memory", cudaCreateSurfaceObject(&s, &l));
    cudaTextureObject_t t = 0;
    cudaCreateTextureObject(&t, &a, &linear, NULL);
    cudaResourceDesc ra = {};
    cudaTextureDesc ta = {};
    say("resource of a texture", cudaGetTextureObjectResourceDesc(&ra, t));
    printf("%d %d\n", (int)ra.resType, ra.res.array.array == array);
    say("description of a texture", cudaGetTextureObjectTextureDesc(&ta, t));
    printf("%d %d %d, %d %d %d, %g, %u\n", (int)ta.addressMode[0], (int)ta.addressMode[1], (int)ta.addressMode[2], (int)ta.filterMode,
           (int)ta.readMode, ta.normalizedCoords, ta.borderColor[0], ta.maxAnisotropy);
    cudaResourceViewDesc view;
    say("view of a texture", cudaGetTextureObjectResourceViewDesc(&view, t));
    say("destroyed", cudaDestroyTextureObject(t));
    say("again", cudaDestroyTextureObject(t));
    say("texture 0 destroyed", cudaDestroyTextureObject(0));
    say("description of a destroyed one", cudaGetTextureObjectTextureDesc(&ta, t));
    // Copies.
    const cudaMemcpyKind to = cudaMemcpyHostToDevice, from = cudaMemcpyDeviceToHost;
    say("rows to an array", cudaMemcpy2DToArray(array, 0, 0, host, 64, 64, 8, to));
    say("too wide", cudaMemcpy2DToArray(array, 4, 0, host, 64, 64, 8, to));
    say("too high", cudaMemcpy2DToArray(array, 0, 1, host, 64, 64, 8, to));
    say("half a texel", cudaMemcpy2DToArray(array, 2, 0, host, 64, 16, 8, to));
    say("a width of half a texel", cudaMemcpy2DToArray(array, 0, 0, host, 64, 6, 8, to));
    say("pitch below width", cudaMemcpy2DToArray(array, 0, 0, host, 32, 64, 8, to));
    say("wrong direction", cudaMemcpy2DToArray(array, 0, 0, host, 64, 64, 8, from));
    say("device to array", cudaMemcpy2DToArray(array, 0, 0, memory, 64, 64, 8, cudaMemcpyDeviceToDevice));
    say("device to array as from the host", cudaMemcpy2DToArray(array, 0, 0, memory, 64, 64, 8, to));
    say("default", cudaMemcpy2DToArray(array, 0, 0, host, 64, 64, 8, cudaMemcpyDefault));
    say("rows from an array", cudaMemcpy2DFromArray(host, 64, array, 0, 0, 64, 8, from));
    say("too wide", cudaMemcpy2DFromArray(host, 64, array, 60, 0, 8, 8, from));
    say("array to array", cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, 64, 8, cudaMemcpyDeviceToDevice));
    say("to an array of null", cudaMemcpy2DToArray(NULL, 0, 0, host, 64, 64, 8, to));
    say("freed", cudaFreeArray(other));
    say("null freed", cudaFreeArray(NULL));
    say("a channel of an array", cudaGetChannelDesc((cudaChannelFormatDesc *)host, array));
    for (int k = 0; k < 128; k++)
        ((float *)host)[k] = k;
    cudaMemcpy3DParms box = {};
    box.srcPtr = make_cudaPitchedPtr(host, 64, 16, 8);
    box.srcPos = make_cudaPos(8, 1, 0); // bytes on this side
    box.dstArray = array;
    box.dstPos = make_cudaPos(3, 2, 0); // texels on that
    box.extent = make_cudaExtent(5, 3, 1);
    box.kind = to;
    say("a box", cudaMemcpy3D(&box));
    box.extent = make_cudaExtent(14, 3, 1);
    say("a box too wide", cudaMemcpy3D(&box));
    box.extent = make_cudaExtent(5, 3, 2);
    say("a box too deep", cudaMemcpy3D(&box));
    float back[128];
    cudaMemcpy2DFromArray(back, 64, array, 0, 0, 64, 8, from);
    for (int k = 0; k < 128; k++)
        printf("%g%c", back[k], k % 16 == 15 ? '\n' : ' ');
}

static void facts()
{
    size_t width = 0, pitch = 0;
    const cudaChannelFormatDesc formats[] = { cudaCreateChannelDesc<char>(), cudaCreateChannelDesc<float>(),
                                              cudaCreateChannelDesc<float4>() };
    for (const cudaChannelFormatDesc &f : formats) {
        say("widest linear texture", cudaDeviceGetTexture1DLinearMaxWidth(&width, &f, 0));
        printf("%zu\n", width);
    }
    for (int bytes = 1; bytes < 3000; bytes = bytes * 3 + 1) {
        void *memory;
        cudaMallocPitch(&memory, &pitch, bytes, 4);
        printf("pitch of %d: %zu\n", bytes, pitch);
        cudaFree(memory);
    }
    for (int a = 1; a < 150; a++) {
        int value = 0;
        cudaError_t code = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)a, 0);
        printf("attribute %d: ", a);
        printf("%d%s\n", value, code ? " (an error)" : "");
        cudaGetLastError();
    }
}

int main(int argc, char **argv)
{
    FILE *bits = argc > 1 ? fopen(argv[1], "wb") : NULL;
    fetches(bits);
    if (bits)
        fclose(bits);
    surfaces_of_shape<SURFACE_1D>();
    surfaces_of_shape<SURFACE_2D>();
    surfaces_of_shape<SURFACE_3D>();
    surfaces_of_shape<SURFACE_1D_LAYERED>();
    surfaces_of_shape<SURFACE_2D_LAYERED>();
    surfaces_of_shape<SURFACE_CUBE>();
    surfaces_of_shape<SURFACE_CUBE_LAYERED>();
    arrays();
    mistakes();
    if (argc > 2)
        facts();
    return 0;
}
