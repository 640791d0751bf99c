// Arrays, textures and surfaces, as programs use them. It belongs to cuda_runtime.h. Kernels fetch by the instructions of PTX,
// which give four values of 32 bits.
#ifndef WARPBOOK_TEXTURES_H
#define WARPBOOK_TEXTURES_H

// ---- of the host ---------------------------------------------------------------------------------------------------

typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef const struct cudaMipmappedArray *cudaMipmappedArray_const_t;
enum {
    cudaArrayDefault = 0,
    cudaArrayLayered = 1,
    cudaArraySurfaceLoadStore = 2,
    cudaArrayCubemap = 4,
    cudaArrayTextureGather = 8
};
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned = 0,
    cudaChannelFormatKindUnsigned = 1,
    cudaChannelFormatKindFloat = 2,
    cudaChannelFormatKindNone = 3
};
enum cudaResourceType {
    cudaResourceTypeArray = 0,
    cudaResourceTypeMipmappedArray = 1,
    cudaResourceTypeLinear = 2,
    cudaResourceTypePitch2D = 3
};
enum cudaTextureAddressMode {
    cudaAddressModeWrap = 0,
    cudaAddressModeClamp = 1,
    cudaAddressModeMirror = 2,
    cudaAddressModeBorder = 3
};
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero = 0,
    cudaBoundaryModeClamp = 1,
    cudaBoundaryModeTrap = 2
};
struct cudaChannelFormatDesc {
    int x, y, z, w;
    enum cudaChannelFormatKind f;
};
struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
};
enum cudaResourceViewFormat {
    cudaResViewFormatNone,
    cudaResViewFormatUnsignedChar1, cudaResViewFormatUnsignedChar2, cudaResViewFormatUnsignedChar4,
    cudaResViewFormatSignedChar1, cudaResViewFormatSignedChar2, cudaResViewFormatSignedChar4,
    cudaResViewFormatUnsignedShort1, cudaResViewFormatUnsignedShort2, cudaResViewFormatUnsignedShort4,
    cudaResViewFormatSignedShort1, cudaResViewFormatSignedShort2, cudaResViewFormatSignedShort4,
    cudaResViewFormatUnsignedInt1, cudaResViewFormatUnsignedInt2, cudaResViewFormatUnsignedInt4,
    cudaResViewFormatSignedInt1, cudaResViewFormatSignedInt2, cudaResViewFormatSignedInt4,
    cudaResViewFormatHalf1, cudaResViewFormatHalf2, cudaResViewFormatHalf4,
    cudaResViewFormatFloat1, cudaResViewFormatFloat2, cudaResViewFormatFloat4
    // Compressed formats follow, which are not there.
};
struct cudaResourceViewDesc {
    enum cudaResourceViewFormat format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer, reserved[16];
};
struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};

extern "C" {
cudaError_t cudaMallocArray(cudaArray_t *, const struct cudaChannelFormatDesc *, size_t width,
                            size_t height = 0, unsigned flags = 0);
cudaError_t cudaMalloc3DArray(cudaArray_t *, const struct cudaChannelFormatDesc *, struct cudaExtent,
                              unsigned flags = 0);
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *, const struct cudaChannelFormatDesc *,
                                     struct cudaExtent, unsigned levels, unsigned flags = 0);
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *, cudaMipmappedArray_const_t, unsigned level);
cudaError_t cudaFreeArray(cudaArray_t), cudaFreeMipmappedArray(cudaMipmappedArray_t);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *, struct cudaExtent *, unsigned *flags,
                             cudaArray_t);
cudaError_t cudaMemcpy2DToArray(cudaArray_t, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                size_t height, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t, size_t x, size_t y, const void *from, size_t pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t, size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t, size_t x, size_t y,
                                       size_t width, size_t height, enum cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemcpyToArray(cudaArray_t, size_t x, size_t y, const void *from, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t, size_t x, size_t y, const void *from, size_t,
                                   enum cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t, size_t x, size_t y, size_t,
                                     enum cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemcpyArrayToArray(cudaArray_t, size_t to_x, size_t to_y, cudaArray_const_t, size_t from_x,
                                   size_t from_y, size_t, enum cudaMemcpyKind = cudaMemcpyDeviceToDevice);
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t, size_t to_x, size_t to_y, cudaArray_const_t, size_t from_x,
                                     size_t from_y, size_t width, size_t height,
                                     enum cudaMemcpyKind = cudaMemcpyDeviceToDevice);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *, cudaArray_const_t);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *, cudaTextureObject_t);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *, cudaTextureObject_t);
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *, cudaTextureObject_t);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *, cudaSurfaceObject_t);
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *, const struct cudaChannelFormatDesc *, int device);
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t, size_t x, size_t y, size_t, enum cudaMemcpyKind);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *, const struct cudaResourceDesc *,
                                    const struct cudaTextureDesc *, const struct cudaResourceViewDesc *);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *, const struct cudaResourceDesc *);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind);
}

// ---- of kernels ----------------------------------------------------------------------------------------------------

// What a type of texels is made of, and how the four values become one.
template <class T> struct wb_texel;
#define WB_TEXELS(ONE, KIND, VALUE)                                                                          \
    WB_TEXEL(ONE, ONE, 1, KIND, VALUE(v.x))                                                                  \
    WB_TEXEL(ONE##1, ONE, 1, KIND, ONE##1 { VALUE(v.x) })                                                    \
    WB_TEXEL(ONE##2, ONE, 2, KIND, ONE##2 { VALUE(v.x), VALUE(v.y) })                                        \
    WB_TEXEL(ONE##4, ONE, 4, KIND, ONE##4 { VALUE(v.x), VALUE(v.y), VALUE(v.z), VALUE(v.w) })
#define WB_TEXEL(TYPE, ONE, COUNT, KIND, ...)                                                                \
    template <> struct wb_texel<TYPE> {                                                                      \
        static const int bits = 8 * sizeof(ONE), count = COUNT;                                              \
        static const cudaChannelFormatKind kind = cudaChannelFormatKind##KIND;                               \
        static __device__ TYPE of(uint4 v)                                                                   \
        {                                                                                                    \
            return __VA_ARGS__;                                                                              \
        }                                                                                                    \
    };
WB_TEXELS(char, Signed, (char))
WB_TEXELS(uchar, Unsigned, (unsigned char))
WB_TEXELS(short, Signed, (short))
WB_TEXELS(ushort, Unsigned, (unsigned short))
WB_TEXELS(int, Signed, (int))
WB_TEXELS(uint, Unsigned, (unsigned))
WB_TEXELS(float, Float, __uint_as_float)
#undef WB_TEXELS
#undef WB_TEXEL
template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
    typedef wb_texel<T> texel;
    return { texel::bits, texel::count > 1 ? texel::bits : 0, texel::count > 2 ? texel::bits : 0,
             texel::count > 3 ? texel::bits : 0, texel::kind };
}

// A fetch with so many coordinates, of whole numbers (I) and of others (F); what follows them is written out.
#define WB_FETCH(NAME, PARAMETERS, PTX, ...)                                                                 \
    template <class T> static __device__ __forceinline__ T NAME(cudaTextureObject_t texture, PARAMETERS)     \
    {                                                                                                        \
        uint4 v;                                                                                             \
        asm volatile(PTX : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(texture), __VA_ARGS__);          \
        return wb_texel<T>::of(v);                                                                           \
    }
#define WB_LIST(...) __VA_ARGS__

WB_FETCH(tex1Dfetch, WB_LIST(int x), "tex.1d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5}];", "r"(x))
WB_FETCH(tex1D, WB_LIST(float x), "tex.1d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5}];", "f"(x))
WB_FETCH(tex1DLod, WB_LIST(float x, float level), "tex.level.1d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5}], %6;",
         "f"(x), "f"(level))
WB_FETCH(tex1DGrad, WB_LIST(float x, float dx, float dy),
         "tex.grad.1d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5}], {%6}, {%7};", "f"(x), "f"(dx), "f"(dy))
WB_FETCH(tex2D, WB_LIST(float x, float y), "tex.2d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];", "f"(x),
         "f"(y))
WB_FETCH(tex2DLod, WB_LIST(float x, float y, float level),
         "tex.level.2d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7;", "f"(x), "f"(y), "f"(level))
WB_FETCH(tex2DGrad, WB_LIST(float x, float y, float2 dx, float2 dy),
         "tex.grad.2d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {%7, %8}, {%9, %10};", "f"(x), "f"(y),
         "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))
WB_FETCH(tex3D, WB_LIST(float x, float y, float z),
         "tex.3d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", "f"(x), "f"(y), "f"(z))
WB_FETCH(tex3DLod, WB_LIST(float x, float y, float z, float level),
         "tex.level.3d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], %8;", "f"(x), "f"(y), "f"(z),
         "f"(level))
WB_FETCH(tex3DGrad, WB_LIST(float x, float y, float z, float4 dx, float4 dy),
         "tex.grad.3d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, "
         "%13, %13};",
         "f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z))
WB_FETCH(tex1DLayered, WB_LIST(float x, int layer), "tex.a1d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%6, %5}];",
         "f"(x), "r"(layer))
WB_FETCH(tex1DLayeredLod, WB_LIST(float x, int layer, float level),
         "tex.level.a1d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%6, %5}], %7;", "f"(x), "r"(layer), "f"(level))
WB_FETCH(tex1DLayeredGrad, WB_LIST(float x, int layer, float dx, float dy),
         "tex.grad.a1d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%6, %5}], {%7}, {%8};", "f"(x), "r"(layer), "f"(dx),
         "f"(dy))
WB_FETCH(tex2DLayered, WB_LIST(float x, float y, int layer),
         "tex.a2d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%7, %5, %6, %6}];", "f"(x), "f"(y), "r"(layer))
WB_FETCH(tex2DLayeredLod, WB_LIST(float x, float y, int layer, float level),
         "tex.level.a2d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%7, %5, %6, %6}], %8;", "f"(x), "f"(y), "r"(layer),
         "f"(level))
WB_FETCH(tex2DLayeredGrad, WB_LIST(float x, float y, int layer, float2 dx, float2 dy),
         "tex.grad.a2d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%7, %5, %6, %6}], {%8, %9}, {%10, %11};", "f"(x),
         "f"(y), "r"(layer), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))
WB_FETCH(texCubemap, WB_LIST(float x, float y, float z),
         "tex.cube.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", "f"(x), "f"(y), "f"(z))
WB_FETCH(texCubemapLod, WB_LIST(float x, float y, float z, float level),
         "tex.level.cube.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], %8;", "f"(x), "f"(y), "f"(z),
         "f"(level))
WB_FETCH(texCubemapLayered, WB_LIST(float x, float y, float z, int layer),
         "tex.acube.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%8, %5, %6, %7}];", "f"(x), "f"(y), "f"(z), "r"(layer))
WB_FETCH(texCubemapLayeredLod, WB_LIST(float x, float y, float z, int layer, float level),
         "tex.level.acube.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%8, %5, %6, %7}], %9;", "f"(x), "f"(y), "f"(z),
         "r"(layer), "f"(level))

template <class T>
static __device__ __forceinline__ T tex2Dgather(cudaTextureObject_t texture, float x, float y,
                                                int channel = 0)
{
    uint4 v;
#define WB_GATHER(LETTER)                                                                                    \
    asm volatile("tld4." LETTER ".2d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                           \
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)                                                \
                 : "l"(texture), "f"(x), "f"(y))
    if (channel == 1)
        WB_GATHER("g");
    else if (channel == 2)
        WB_GATHER("b");
    else if (channel == 3)
        WB_GATHER("a");
    else
        WB_GATHER("r");
#undef WB_GATHER
    return wb_texel<T>::of(v);
}
#undef WB_FETCH

// Surfaces move bytes: one, two, or one, two or four words. `x` counts bytes.
#define WB_UNPACK(...) __VA_ARGS__
#define WB_LOAD(SIZE, VALUES, OUTPUTS, PLACE, INPUTS)                                                        \
    asm volatile("suld.b." SIZE " " VALUES ", [%[s], " PLACE "];"                                            \
                 : WB_UNPACK OUTPUTS                                                                         \
                 : [s] "l"(surface), WB_UNPACK INPUTS                                                        \
                 : "memory")
#define WB_STORE(SIZE, VALUES, VALUE, PLACE, INPUTS)                                                         \
    asm volatile("sust.b." SIZE " [%[s], " PLACE "], " VALUES ";" ::[s] "l"(surface), WB_UNPACK INPUTS,      \
                 WB_UNPACK VALUE                                                                             \
                 : "memory")
#define WB_SURFACE_MODE(NAME, SHAPE, MODE, PARAMETERS, PLACE, INPUTS)                                        \
    template <class T>                                                                                       \
    static __device__ __forceinline__ T wb_load_##NAME##_##MODE(cudaSurfaceObject_t surface,                 \
                                                                WB_UNPACK PARAMETERS)                        \
    {                                                                                                        \
        unsigned w[4] = { 0 };                                                                               \
        unsigned short h = 0;                                                                                \
        T out;                                                                                               \
        if (sizeof(T) == 1)                                                                                  \
            WB_LOAD(SHAPE ".b8." #MODE, "{%[h]}", ([h] "=h"(h)), PLACE, INPUTS);                             \
        else if (sizeof(T) == 2)                                                                             \
            WB_LOAD(SHAPE ".b16." #MODE, "{%[h]}", ([h] "=h"(h)), PLACE, INPUTS);                            \
        else if (sizeof(T) == 4)                                                                             \
            WB_LOAD(SHAPE ".b32." #MODE, "{%[a]}", ([a] "=r"(w[0])), PLACE, INPUTS);                         \
        else if (sizeof(T) == 8)                                                                             \
            WB_LOAD(SHAPE ".v2.b32." #MODE, "{%[a], %[b]}", ([a] "=r"(w[0]), [b] "=r"(w[1])), PLACE,         \
                    INPUTS);                                                                                 \
        else                                                                                                 \
            WB_LOAD(SHAPE ".v4.b32." #MODE, "{%[a], %[b], %[c], %[d]}",                                      \
                    ([a] "=r"(w[0]), [b] "=r"(w[1]), [c] "=r"(w[2]), [d] "=r"(w[3])), PLACE, INPUTS);        \
        __builtin_memcpy(&out, sizeof(T) <= 2 ? (void *)&h : (void *)w, sizeof out);                         \
        return out;                                                                                          \
    }                                                                                                        \
    template <class T>                                                                                       \
    static __device__ __forceinline__ void wb_store_##NAME##_##MODE(T value, cudaSurfaceObject_t surface,    \
                                                                    WB_UNPACK PARAMETERS)                    \
    {                                                                                                        \
        static_assert(sizeof(T) <= 16, "a texel has at most 16 bytes");                                      \
        unsigned w[4] = { 0 };                                                                               \
        unsigned short h = 0;                                                                                \
        __builtin_memcpy(sizeof(T) <= 2 ? (void *)&h : (void *)w, &value, sizeof value);                     \
        if (sizeof(T) == 1)                                                                                  \
            WB_STORE(SHAPE ".b8." #MODE, "{%[h]}", ([h] "h"(h)), PLACE, INPUTS);                             \
        else if (sizeof(T) == 2)                                                                             \
            WB_STORE(SHAPE ".b16." #MODE, "{%[h]}", ([h] "h"(h)), PLACE, INPUTS);                            \
        else if (sizeof(T) == 4)                                                                             \
            WB_STORE(SHAPE ".b32." #MODE, "{%[a]}", ([a] "r"(w[0])), PLACE, INPUTS);                         \
        else if (sizeof(T) == 8)                                                                             \
            WB_STORE(SHAPE ".v2.b32." #MODE, "{%[a], %[b]}", ([a] "r"(w[0]), [b] "r"(w[1])), PLACE, INPUTS); \
        else                                                                                                 \
            WB_STORE(SHAPE ".v4.b32." #MODE, "{%[a], %[b], %[c], %[d]}",                                     \
                     ([a] "r"(w[0]), [b] "r"(w[1]), [c] "r"(w[2]), [d] "r"(w[3])), PLACE, INPUTS);           \
    }
#define WB_SURFACE(NAME, SHAPE, PARAMETERS, ARGUMENTS, PLACE, INPUTS)                                        \
    WB_SURFACE_MODE(NAME, SHAPE, trap, PARAMETERS, PLACE, INPUTS)                                            \
    WB_SURFACE_MODE(NAME, SHAPE, clamp, PARAMETERS, PLACE, INPUTS)                                           \
    WB_SURFACE_MODE(NAME, SHAPE, zero, PARAMETERS, PLACE, INPUTS)                                            \
    template <class T>                                                                                       \
    static __device__ __forceinline__ T surf##NAME##read(cudaSurfaceObject_t surface, WB_UNPACK PARAMETERS,  \
                                                         cudaSurfaceBoundaryMode mode =                      \
                                                             cudaBoundaryModeTrap)                           \
    {                                                                                                        \
        return mode == cudaBoundaryModeZero    ? wb_load_##NAME##_zero<T>(surface, WB_UNPACK ARGUMENTS)      \
               : mode == cudaBoundaryModeClamp ? wb_load_##NAME##_clamp<T>(surface, WB_UNPACK ARGUMENTS)     \
                                               : wb_load_##NAME##_trap<T>(surface, WB_UNPACK ARGUMENTS);     \
    }                                                                                                        \
    template <class T>                                                                                       \
    static __device__ __forceinline__ void surf##NAME##read(                                                 \
        T *out, cudaSurfaceObject_t surface, WB_UNPACK PARAMETERS,                                           \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                                 \
    {                                                                                                        \
        *out = surf##NAME##read<T>(surface, WB_UNPACK ARGUMENTS, mode);                                      \
    }                                                                                                        \
    template <class T>                                                                                       \
    static __device__ __forceinline__ void surf##NAME##write(                                                \
        T value, cudaSurfaceObject_t surface, WB_UNPACK PARAMETERS,                                          \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                                 \
    {                                                                                                        \
        if (mode == cudaBoundaryModeZero)                                                                    \
            wb_store_##NAME##_zero(value, surface, WB_UNPACK ARGUMENTS);                                     \
        else if (mode == cudaBoundaryModeClamp)                                                              \
            wb_store_##NAME##_clamp(value, surface, WB_UNPACK ARGUMENTS);                                    \
        else                                                                                                 \
            wb_store_##NAME##_trap(value, surface, WB_UNPACK ARGUMENTS);                                     \
    }
WB_SURFACE(1D, "1d", (int x), (x), "{%[x]}", ([x] "r"(x)))
WB_SURFACE(2D, "2d", (int x, int y), (x, y), "{%[x], %[y]}", ([x] "r"(x), [y] "r"(y)))
WB_SURFACE(3D, "3d", (int x, int y, int z), (x, y, z), "{%[x], %[y], %[z], %[z]}",
           ([x] "r"(x), [y] "r"(y), [z] "r"(z)))
WB_SURFACE(1DLayered, "a1d", (int x, int layer), (x, layer), "{%[l], %[x]}", ([x] "r"(x), [l] "r"(layer)))
WB_SURFACE(2DLayered, "a2d", (int x, int y, int layer), (x, y, layer), "{%[l], %[x], %[y], %[y]}",
           ([x] "r"(x), [y] "r"(y), [l] "r"(layer)))
#undef WB_SURFACE
#undef WB_SURFACE_MODE
#undef WB_STORE
#undef WB_LOAD
#undef WB_UNPACK
#undef WB_LIST

#endif
