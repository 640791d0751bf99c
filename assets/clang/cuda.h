// What CUDA C offers to kernels, declared for clang when no NVIDIA file is there. clang knows the language and
// the instructions (its __nvvm_… builtins); this file gives them CUDA's names. It covers what teaching kernels
// use: indices, vector types, barriers, atomics, warp functions, bits, mathematics, printf and assert.
// Beside it are cuda_fp16.h, cuda_bf16.h, mma.h and cooperative_groups.h, for kernels that include them.
// Not here: fp8, textures, cuda::std.
#pragma clang system_header
#ifndef WARPBOOK_CUDA_H
#define WARPBOOK_CUDA_H

// ---- words of the language ----------------------------------------------------------------------

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __inline__ inline
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 0

// Without debug information: their instructions then belong to the line that calls them.
#define WB_BOTH static inline __attribute__((always_inline, nodebug, host, device))
#define WB static inline __attribute__((always_inline, nodebug, device))

typedef decltype(sizeof 0) size_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#define NULL 0
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)

#include <stdint.h> // as nvcc has it without an include, and the constants of math.h
#if !__has_include(<features.h>) // else cuda_runtime.h has those of the host's
#include <math.h>
#endif

#include "vectors.h"

#include "atomics.h"
#include "bits.h"
#include "caching.h"
#include "functions.h"

#include "doubles.h"
#include "bessel.h"
#include "video.h"
#include "dpx.h"
#include "warps.h"

#undef WB
#undef WB1
#undef WB2
#undef WB3

#endif
