// Vector types, dim3, and the four objects that say where a thread is.
#pragma clang system_header
#ifndef WARPBOOK_VECTORS_H
#define WARPBOOK_VECTORS_H

// ---- vector types -------------------------------------------------------------------------------

// Aligned so that one load or store moves the whole vector; those of three are as their elements. Assigning reads
// all elements, then writes all: clang would copy a struct as unnamed bytes, and not with one vector instruction.
#define WB_VECTORS(T, V, A2, A4)                                                                             \
    struct V##1                                                                                              \
    {                                                                                                        \
        T x;                                                                                                 \
    };                                                                                                       \
    struct __align__(A2) V##2                                                                                \
    {                                                                                                        \
        T x, y;                                                                                              \
                                                                                                             \
        __host__ __device__ __attribute__((always_inline, nodebug)) V##2 &operator=(const V##2 & from)       \
        {                                                                                                    \
            auto x_ = from.x, y_ = from.y;                                                                   \
            x = x_, y = y_;                                                                                  \
            return *this;                                                                                    \
        }                                                                                                    \
    };                                                                                                       \
    struct V##3                                                                                              \
    {                                                                                                        \
        T x, y, z;                                                                                           \
    };                                                                                                       \
    struct __align__(A4) V##4                                                                                \
    {                                                                                                        \
        T x, y, z, w;                                                                                        \
                                                                                                             \
        __host__ __device__ __attribute__((always_inline, nodebug)) V##4 &operator=(const V##4 & from)       \
        {                                                                                                    \
            auto x_ = from.x, y_ = from.y, z_ = from.z, w_ = from.w;                                         \
            x = x_, y = y_, z = z_, w = w_;                                                                  \
            return *this;                                                                                    \
        }                                                                                                    \
    };                                                                                                       \
    WB_BOTH V##1 make_##V##1(T x)                                                                            \
    {                                                                                                        \
        return { x };                                                                                        \
    }                                                                                                        \
    WB_BOTH V##2 make_##V##2(T x, T y)                                                                       \
    {                                                                                                        \
        return { x, y };                                                                                     \
    }                                                                                                        \
    WB_BOTH V##3 make_##V##3(T x, T y, T z)                                                                  \
    {                                                                                                        \
        return { x, y, z };                                                                                  \
    }                                                                                                        \
    WB_BOTH V##4 make_##V##4(T x, T y, T z, T w)                                                             \
    {                                                                                                        \
        return { x, y, z, w };                                                                               \
    }

WB_VECTORS(signed char, char, 2, 4)
WB_VECTORS(unsigned char, uchar, 2, 4)
WB_VECTORS(short, short, 4, 8)
WB_VECTORS(unsigned short, ushort, 4, 8)
WB_VECTORS(int, int, 8, 16)
WB_VECTORS(unsigned int, uint, 8, 16)
WB_VECTORS(long, long, 16, 16)
WB_VECTORS(unsigned long, ulong, 16, 16)
WB_VECTORS(long long, longlong, 16, 16)
WB_VECTORS(unsigned long long, ulonglong, 16, 16)
WB_VECTORS(float, float, 8, 16)
WB_VECTORS(double, double, 16, 16)

struct dim3 {
    unsigned x, y, z;
    __host__ __device__
        __attribute__((nodebug)) constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)
        : x(x), y(y), z(z)
    {
    }
    __host__ __device__ __attribute__((nodebug)) constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    __host__ __device__ __attribute__((nodebug)) constexpr operator uint3() const
    {
        return { x, y, z };
    }
};

// ---- where a thread is --------------------------------------------------------------------------

// Objects without storage: reading a member reads a special register.
#define WB_REGISTER(REGISTER, AXIS)                                                                          \
    __declspec(property(get = get_##AXIS)) unsigned AXIS;                                                    \
    __device__ __attribute__((always_inline, nodebug)) unsigned get_##AXIS() const                           \
    {                                                                                                        \
        return __nvvm_read_ptx_sreg_##REGISTER##_##AXIS();                                                   \
    }
#define WB_INDEX(NAME, REGISTER, VECTOR)                                                                     \
    struct wb_##NAME {                                                                                       \
        WB_REGISTER(REGISTER, x)                                                                             \
        WB_REGISTER(REGISTER, y)                                                                             \
        WB_REGISTER(REGISTER, z)                                                                             \
        __device__ __attribute__((always_inline, nodebug)) operator VECTOR() const                           \
        {                                                                                                    \
            return VECTOR{ get_x(), get_y(), get_z() };                                                      \
        }                                                                                                    \
    };                                                                                                       \
    extern const __device__ __attribute__((weak)) wb_##NAME NAME;

WB_INDEX(threadIdx, tid, uint3)
WB_INDEX(blockIdx, ctaid, uint3)
WB_INDEX(blockDim, ntid, dim3)
WB_INDEX(gridDim, nctaid, dim3)
#define warpSize 32

#endif
