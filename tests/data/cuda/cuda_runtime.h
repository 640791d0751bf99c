// As much of CUDA's runtime API as exported programs call, so that clang can check them where no CUDA Toolkit is.
// Kernels get what assets/clang/cuda.h declares.
#pragma once
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "assets/clang/cuda.h"

__device__ void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
enum cudaError_t { cudaSuccess };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost };
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount, cudaDevAttrL2CacheSize };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
typedef struct stream *cudaStream_t;
typedef struct event *cudaEvent_t;
const char *cudaGetErrorString(cudaError_t);
cudaError_t cudaGetLastError();
cudaError_t cudaDeviceGetAttribute(int *, cudaDeviceAttr, int);
cudaError_t cudaDeviceSynchronize();
struct cudaDeviceProp {
    char name[256];
};
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *, int);
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaFree(void *);
cudaError_t cudaFreeHost(void *);
template <typename T> cudaError_t cudaMalloc(T **, size_t);
template <typename T> cudaError_t cudaMallocHost(T **, size_t);
template <typename T> cudaError_t cudaFuncSetAttribute(T *, cudaFuncAttribute, int);
extern "C" int cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0); // what <<<…>>> calls
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);
