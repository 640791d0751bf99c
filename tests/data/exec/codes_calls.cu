// What CUDA's runtime answers to calls that are wrong, or nearly: streams, events, launches, variables, textures.
// codes_calls.txt is what an H200 says (CUDA 13.0, driver 580.159, 2026-11-28).
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#define SAY(call)                                                                                            \
    do {                                                                                                     \
        cudaError_t code = (call);                                                                           \
        printf("%3d %s: %s\n", (int)code, cudaGetErrorName(code), #call);                                    \
        cudaGetLastError();                                                                                  \
    } while (0)
#define VALUE(format, value) printf("    %s is " format "\n", #value, value)

__global__ void k(int *p)
{
    if (p)
        p[threadIdx.x] = 1;
}
__global__ void __launch_bounds__(128) bounded(int *p) { p[threadIdx.x] = 1; }
__global__ void dyn(int *p)
{
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
    p[0] = s[0];
}
__global__ void coop(int *p)
{
    cooperative_groups::this_grid().sync();
    p[0] = 1;
}
__global__ void __cluster_dims__(2, 1, 1) clus(int *p) { p[0] = 1; }
__device__ int sym[64];
__constant__ float con[16];
__device__ __managed__ int man[8];
static void CUDART_CB cb(cudaStream_t, cudaError_t e, void *x) { *(int *)x = 10 + e; }
int main()
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    int *d;
    cudaMalloc(&d, 4096);
    cudaStream_t s, t;
    cudaEvent_t e, f;
    float ms = 0;
    int n;
    size_t z;
    void *a;
    SAY(cudaStreamCreateWithFlags(&s, 7));
    SAY(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    SAY(cudaStreamCreateWithPriority(&t, 0, -100));
    SAY(cudaStreamGetPriority(t, &n));
    VALUE("%d", n);
    SAY(cudaEventCreateWithFlags(&e, 0x100));
    SAY(cudaEventCreateWithFlags(&e, cudaEventInterprocess));
    SAY(cudaEventCreate(&e));
    SAY(cudaEventCreateWithFlags(&f, cudaEventDisableTiming));
    SAY(cudaEventElapsedTime(&ms, e, e));
    SAY(cudaEventQuery(e));
    SAY(cudaEventSynchronize(e));
    SAY(cudaStreamWaitEvent(s, e, 0));
    SAY(cudaStreamWaitEvent(s, e, 5));
    SAY(cudaEventRecord(e, s));
    SAY(cudaEventRecord(f, s));
    SAY(cudaEventElapsedTime(&ms, e, f));
    SAY(cudaEventDestroy(f));
    SAY(cudaEventRecord(NULL, s));
    SAY(cudaEventDestroy(NULL));
    SAY(cudaEventRecordWithFlags(e, s, 9));
    SAY(cudaStreamQuery(s));
    n = 0;
    SAY(cudaStreamAddCallback(s, cb, &n, 0));
    SAY(cudaStreamSynchronize(s));
    VALUE("%d", n);
    SAY(cudaStreamAddCallback(s, cb, &n, 1));
    SAY(cudaStreamAddCallback(s, NULL, &n, 0));
    SAY(cudaLaunchHostFunc(s, NULL, &n));
    SAY(cudaStreamDestroy(t));
    SAY(cudaStreamDestroy(NULL));
    SAY(cudaStreamSynchronize(cudaStreamLegacy));
    SAY(cudaStreamDestroy(cudaStreamPerThread));
    unsigned fl;
    SAY(cudaStreamGetFlags(s, &fl));
    VALUE("%u", fl);
    k<<<0, 32>>>(d);
    SAY(cudaPeekAtLastError());
    k<<<1, 1025>>>(d);
    SAY(cudaGetLastError());
    k<<<dim3(1, 70000), 32>>>(d);
    SAY(cudaGetLastError());
    k<<<1, dim3(1, 1, 65)>>>(d);
    SAY(cudaGetLastError());
    k<<<1, 32, 49153>>>(d);
    SAY(cudaGetLastError());
    bounded<<<1, 256>>>(d);
    SAY(cudaGetLastError());
    k<<<1, 0>>>(d);
    SAY(cudaGetLastError());
    dyn<<<1, 32, 65536>>>(d);
    SAY(cudaGetLastError());
    SAY(cudaFuncSetAttribute(dyn, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    dyn<<<1, 32, 65536>>>(d);
    SAY(cudaGetLastError());
    SAY(cudaDeviceSynchronize());
    SAY(cudaFuncSetAttribute(dyn, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    SAY(cudaFuncSetAttribute(dyn, cudaFuncAttributeMaxDynamicSharedMemorySize, -2));
    SAY(cudaFuncSetAttribute(dyn, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    SAY(cudaFuncSetAttribute(dyn, cudaFuncAttributePreferredSharedMemoryCarveout, -1));
    SAY(cudaFuncSetAttribute((void *)main, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    SAY(cudaFuncSetCacheConfig(dyn, cudaFuncCachePreferL1));
    SAY(cudaFuncSetCacheConfig(dyn, (cudaFuncCache)9));
    cudaFuncAttributes fa;
    SAY(cudaFuncGetAttributes(&fa, bounded));
    VALUE("%d", fa.maxThreadsPerBlock);
    VALUE("%zu", fa.sharedSizeBytes);
    VALUE("%zu", fa.constSizeBytes);
    SAY(cudaFuncGetAttributes(&fa, dyn));
    VALUE("%d", fa.maxDynamicSharedSizeBytes);
    SAY(cudaFuncGetAttributes(&fa, (void *)main));
    SAY(cudaFuncGetAttributes(&fa, (void *)NULL));
    void *args[] = { &d };
    SAY(cudaLaunchKernel((void *)k, dim3(1), dim3(32), args, 0, 0));
    SAY(cudaLaunchKernel((void *)main, dim3(1), dim3(32), args, 0, 0));
    SAY(cudaLaunchKernel((void *)NULL, dim3(1), dim3(32), args, 0, 0));
    SAY(cudaLaunchCooperativeKernel((void *)coop, dim3(4), dim3(32), args, 0, 0));
    SAY(cudaLaunchCooperativeKernel((void *)coop, dim3(1 << 20), dim3(32), args, 0, 0));
    SAY(cudaLaunchCooperativeKernel((void *)k, dim3(4), dim3(32), args, 0, 0));
    SAY(cudaDeviceSynchronize());

    cudaLaunchConfig_t c = {};
    c.gridDim = 4;
    c.blockDim = 32;
    cudaLaunchAttribute at[2];
    c.attrs = at;
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim = { 2, 1, 1 };
    c.numAttrs = 1;
    SAY(cudaLaunchKernelEx(&c, k, d));
    at[0].val.clusterDim.x = 3;
    SAY(cudaLaunchKernelEx(&c, k, d));
    at[0].val.clusterDim.x = 16;
    c.gridDim = 16;
    SAY(cudaLaunchKernelEx(&c, k, d));
    at[0].val.clusterDim.x = 0;
    SAY(cudaLaunchKernelEx(&c, k, d));
    at[0].id = (cudaLaunchAttributeID)99;
    SAY(cudaLaunchKernelEx(&c, k, d));
    at[0].id = cudaLaunchAttributeIgnore;
    SAY(cudaLaunchKernelEx(&c, k, d));
    at[0].id = cudaLaunchAttributePriority;
    at[0].val.priority = -99;
    SAY(cudaLaunchKernelEx(&c, k, d));
    c.attrs = NULL;
    SAY(cudaLaunchKernelEx(&c, k, d));
    c.numAttrs = 0;
    SAY(cudaLaunchKernelEx(&c, k, d));
    at[0].id = cudaLaunchAttributeCooperative;
    at[0].val.cooperative = 1;
    c.attrs = at;
    c.numAttrs = 1;
    SAY(cudaLaunchKernelEx(&c, coop, d));
    clus<<<4, 32>>>(d);
    SAY(cudaGetLastError());
    clus<<<3, 32>>>(d);
    SAY(cudaGetLastError());
    SAY(cudaDeviceSynchronize());
    SAY(cudaMemcpyToSymbol(sym, &n, 4));
    SAY(cudaMemcpyToSymbol(sym, &n, 4, 253));
    SAY(cudaMemcpyToSymbol(sym, &n, 4, 252));
    SAY(cudaMemcpyToSymbol((void *)&n, &n, 4));
    SAY(cudaMemcpyToSymbol(con, &n, 4, 0, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpyFromSymbol(&n, con, 4, 64));
    SAY(cudaGetSymbolAddress(&a, con));
    SAY(cudaGetSymbolSize(&z, con));
    VALUE("%zu", z);
    SAY(cudaGetSymbolSize(&z, man));
    VALUE("%zu", z);
    SAY(cudaGetSymbolAddress(&a, man));
    VALUE("%d", a == man);
    SAY(cudaGetSymbolAddress(&a, n));
    SAY(cudaMemcpyToSymbol("sym", &n, 4));
    cudaDeviceProp p;
    SAY(cudaGetDeviceProperties(&p, 1));
    SAY(cudaGetDeviceProperties(&p, -1));
    SAY(cudaSetDevice(9));
    SAY(cudaSetDevice(-1));
    SAY(cudaGetDevice(&n));
    VALUE("%d", n);
    SAY(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)9999, 0));
    SAY(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)0, 0));
    SAY(cudaDeviceGetAttribute(&n, cudaDevAttrMaxThreadsPerBlock, 4));
    SAY(cudaDeviceSetLimit((cudaLimit)99, 4));
    SAY(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 24));
    SAY(cudaDeviceGetLimit(&z, cudaLimitMallocHeapSize));
    VALUE("%zu", z);
    SAY(cudaDeviceGetLimit(&z, cudaLimitStackSize));
    VALUE("%zu", z);
    SAY(cudaDeviceGetLimit(&z, cudaLimitPrintfFifoSize));
    VALUE("%zu", z);
    SAY(cudaDeviceSetCacheConfig((cudaFuncCache)5));
    cudaFuncCache cc;
    SAY(cudaDeviceGetCacheConfig(&cc));
    VALUE("%d", cc);
    cudaSharedMemConfig sc;
    SAY(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    SAY(cudaDeviceGetSharedMemConfig(&sc));
    VALUE("%d", sc);
    SAY(cudaDeviceCanAccessPeer(&n, 0, 0));
    VALUE("%d", n);
    SAY(cudaDeviceCanAccessPeer(&n, 0, 1));
    SAY(cudaDeviceEnablePeerAccess(0, 0));
    SAY(cudaDeviceEnablePeerAccess(1, 0));
    SAY(cudaDeviceDisablePeerAccess(0));
    SAY(cudaMemcpyPeer(d, 0, d + 64, 0, 64));
    SAY(cudaMemcpyPeer(d, 0, d + 64, 1, 64));
    SAY(cudaDeviceGetByPCIBusId(&n, "zzz"));
    SAY(cudaSetDeviceFlags(cudaDeviceScheduleSpin));
    SAY(cudaSetDeviceFlags(0x1000));
    SAY(cudaGetDeviceFlags(&fl));
    VALUE("%u", fl);
    SAY(cudaSetValidDevices(NULL, 0));
    int lo, hi;
    SAY(cudaDeviceGetStreamPriorityRange(&lo, &hi));
    VALUE("%d", lo);
    VALUE("%d", hi);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 256, 0));
    VALUE("%d", n);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 0, 0));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 2000, 0));
    VALUE("%d", n);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 256, 1 << 20));
    VALUE("%d", n);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 256, 40000));
    VALUE("%d", n);
    int bs;
    SAY(cudaOccupancyMaxPotentialBlockSize(&n, &bs, k));
    VALUE("%d", bs);
    SAY(cudaOccupancyMaxPotentialBlockSize(&n, &bs, bounded));
    VALUE("%d", bs);
    SAY(cudaOccupancyAvailableDynamicSMemPerBlock(&z, k, 2, 128));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (void (*)(int *))NULL, 256, 0));
    cudaArray_t ar;
    cudaChannelFormatDesc cd = cudaCreateChannelDesc<float>();
    SAY(cudaMallocArray(&ar, &cd, 16, 16));
    cudaArray_t ar2;
    SAY(cudaMallocArray(&ar2, &cd, 0, 16));
    SAY(cudaMallocArray(&ar2, &cd, 1 << 20, 2));
    cudaChannelFormatDesc bad = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
    SAY(cudaMallocArray(&ar2, &bad, 16, 16));
    bad = cudaCreateChannelDesc(7, 0, 0, 0, cudaChannelFormatKindFloat);
    SAY(cudaMallocArray(&ar2, &bad, 16, 16));
    SAY(cudaMemcpy2DToArray(ar, 0, 0, d, 64, 64, 17, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpy2DToArray(ar, 4, 0, d, 64, 64, 16, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpy2DToArray(ar, 0, 0, d, 64, 64, 16, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpy2DToArray(ar, 0, 0, d, 32, 64, 16, cudaMemcpyDeviceToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = ar;
    cudaTextureDesc td = {};
    cudaTextureObject_t tx;
    SAY(cudaCreateTextureObject(&tx, &r, &td, NULL));
    td.filterMode = cudaFilterModeLinear;
    SAY(cudaCreateTextureObject(&tx, &r, &td, NULL));
    td.readMode = cudaReadModeNormalizedFloat;
    SAY(cudaCreateTextureObject(&tx, &r, &td, NULL));
    td.addressMode[0] = cudaAddressModeWrap;
    SAY(cudaCreateTextureObject(&tx, &r, &td, NULL));
    cudaSurfaceObject_t su;
    SAY(cudaCreateSurfaceObject(&su, &r));
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = d;
    r.res.linear.desc = cudaCreateChannelDesc<int>();
    r.res.linear.sizeInBytes = 4096;
    memset(&td, 0, sizeof td);
    SAY(cudaCreateTextureObject(&tx, &r, &td, NULL));
    td.filterMode = cudaFilterModeLinear;
    SAY(cudaCreateTextureObject(&tx, &r, &td, NULL));
    td.filterMode = cudaFilterModePoint;
    r.res.linear.devPtr = d + 1;
    SAY(cudaCreateTextureObject(&tx, &r, &td, NULL));
    SAY(cudaCreateSurfaceObject(&su, &r));
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = d;
    r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width = 16;
    r.res.pitch2D.height = 16;
    r.res.pitch2D.pitchInBytes = 64;
    SAY(cudaCreateTextureObject(&tx, &r, &td, NULL));
    r.res.pitch2D.pitchInBytes = 48;
    SAY(cudaCreateTextureObject(&tx, &r, &td, NULL));
    SAY(cudaDestroyTextureObject(tx));
    SAY(cudaDestroyTextureObject(0));
    SAY(cudaFreeArray(ar));
    SAY(cudaFreeArray(NULL));
    k<<<1, 32>>>((int *)16);
    SAY(cudaGetLastError());
    SAY(cudaDeviceSynchronize());
    SAY(cudaGetLastError());
    SAY(cudaMalloc(&a, 16));
    SAY(cudaFree(d));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaEventQuery(e));
    SAY(cudaMemcpy(&n, d, 4, cudaMemcpyDeviceToHost));
    SAY(cudaGetDevice(&n));
    SAY(cudaDeviceReset());
    return 0;
}
