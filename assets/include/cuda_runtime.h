// What CUDA C has without a header and NVRTC has not: nvcc includes the host's headers, of which kernels use these.
#ifndef WARPBOOK_CUDA_RUNTIME_H
#define WARPBOOK_CUDA_RUNTIME_H

#include <math.h>
#include <stdint.h>

typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#endif
