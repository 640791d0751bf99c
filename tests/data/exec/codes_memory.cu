// What CUDA's runtime answers to calls that are wrong, or nearly: memory and pools.
// codes_memory.txt is what an H200 says (CUDA 13.0, driver 580.159, 2026-11-28).
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

__global__ void touch(int *p) { p[0] = 1; }
int main()
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMemPool_t def, p, q;
    void *a, *b;
    unsigned long long v;
    int i;
    cudaPointerAttributes at;
    SAY(cudaDeviceGetDefaultMemPool(&def, 0));
    SAY(cudaDeviceGetMemPool(&p, 0));
    VALUE("%d", p == def);
    SAY(cudaDeviceGetMemPool(&p, 3));
    for (int k = 0; k < 10; k++) {
        v = 77;
        cudaError_t r = cudaMemPoolGetAttribute(def, (cudaMemPoolAttr)k, &v);
        printf("attr %d -> %d %llu\n", k, r, k < 4 ? (v & 0xffffffff) : v);
        cudaGetLastError();
    }
    cudaMemPoolProps pr = {};
    pr.allocType = cudaMemAllocationTypePinned;
    pr.location.type = cudaMemLocationTypeDevice;
    pr.location.id = 0;
    SAY(cudaMemPoolCreate(&q, &pr));
    pr.location.id = 5;
    SAY(cudaMemPoolCreate(&p, &pr));
    pr.location.id = 0;
    pr.allocType = cudaMemAllocationTypeInvalid;
    SAY(cudaMemPoolCreate(&p, &pr));
    SAY(cudaMallocFromPoolAsync(&a, 1000, q, s));
    touch<<<1, 1, 0, s>>>((int *)a);
    SAY(cudaStreamSynchronize(s));
    SAY(cudaPointerGetAttributes(&at, a));
    VALUE("%d", at.type);
    VALUE("%d", at.device);
    VALUE("%d", at.hostPointer != 0);
    cudaMemPoolGetAttribute(q, cudaMemPoolAttrUsedMemCurrent, &v);
    VALUE("%llu", v);
    cudaMemPoolGetAttribute(q, cudaMemPoolAttrReservedMemCurrent, &v);
    VALUE("%llu", v);
    cudaMemPoolGetAttribute(q, cudaMemPoolAttrUsedMemHigh, &v);
    VALUE("%llu", v);
    v = 5;
    SAY(cudaMemPoolSetAttribute(q, cudaMemPoolAttrUsedMemHigh, &v));
    v = 0;
    SAY(cudaMemPoolSetAttribute(q, cudaMemPoolAttrUsedMemHigh, &v));
    SAY(cudaMemPoolSetAttribute(q, cudaMemPoolAttrUsedMemCurrent, &v));
    v = ~0ull;
    SAY(cudaMemPoolSetAttribute(q, cudaMemPoolAttrReleaseThreshold, &v));
    cudaMemPoolGetAttribute(q, cudaMemPoolAttrReleaseThreshold, &v);
    VALUE("%llu", v);
    i = 0;
    SAY(cudaMemPoolSetAttribute(q, cudaMemPoolReuseAllowOpportunistic, &i));
    i = 9;
    SAY(cudaMemPoolGetAttribute(q, cudaMemPoolReuseAllowOpportunistic, &i));
    VALUE("%d", i);
    SAY(cudaFreeAsync(a, s));
    SAY(cudaStreamSynchronize(s));
    cudaMemPoolGetAttribute(q, cudaMemPoolAttrUsedMemCurrent, &v);
    VALUE("%llu", v);
    SAY(cudaMemPoolTrimTo(q, 0));
    cudaMemPoolGetAttribute(q, cudaMemPoolAttrReservedMemCurrent, &v);
    VALUE("%llu", v);
    SAY(cudaMallocAsync(&a, 0, s));
    VALUE("%d", a != NULL);
    SAY(cudaMallocAsync(&a, 64, s));
    SAY(cudaFree(a));
    SAY(cudaFreeAsync(NULL, s));
    SAY(cudaFree(NULL));
    SAY(cudaMalloc(&a, 64));
    SAY(cudaFreeAsync(a, s));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaMalloc(&a, 0));
    VALUE("%d", a != NULL);
    SAY(cudaMalloc(&a, (size_t)1 << 50));
    SAY(cudaMalloc(NULL, 4));
    SAY(cudaMallocAsync(&b, (size_t)1 << 50, s));
    cudaMemAccessFlags fl;
    cudaMemLocation l = { cudaMemLocationTypeDevice, 0 };
    SAY(cudaMemPoolGetAccess(&fl, q, &l));
    VALUE("%d", fl);
    cudaMemAccessDesc de = { l, cudaMemAccessFlagsProtReadWrite };
    SAY(cudaMemPoolSetAccess(q, &de, 1));
    de.flags = cudaMemAccessFlagsProtNone;
    SAY(cudaMemPoolSetAccess(q, &de, 1));
    de.location.id = 3;
    SAY(cudaMemPoolSetAccess(q, &de, 1));
    SAY(cudaDeviceSetMemPool(0, q));
    SAY(cudaDeviceGetMemPool(&p, 0));
    VALUE("%d", p == q);
    SAY(cudaMallocAsync(&a, 128, s));
    SAY(cudaMemPoolDestroy(q));
    SAY(cudaDeviceGetMemPool(&p, 0));
    VALUE("%d", p == def);
    SAY(cudaFreeAsync(a, s));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaMemPoolDestroy(def));
    // managed
    int *m;
    SAY(cudaMallocManaged(&m, 4096));
    SAY(cudaPointerGetAttributes(&at, m));
    VALUE("%d", at.type);
    VALUE("%d", at.hostPointer == at.devicePointer);
    SAY(cudaPointerGetAttributes(&at, m + 100));
    VALUE("%d", at.devicePointer == m + 100);
    SAY(cudaMallocManaged(&a, 0));
    SAY(cudaMallocManaged(&a, 64, 3));
    SAY(cudaMallocManaged(&a, 64, cudaMemAttachHost));
    SAY(cudaFree(a));
    SAY(cudaStreamAttachMemAsync(s, m, 0, cudaMemAttachSingle));
    SAY(cudaStreamAttachMemAsync(s, m, 128, cudaMemAttachSingle));
    SAY(cudaStreamAttachMemAsync(s, &i, 0, cudaMemAttachSingle));
    SAY(cudaStreamAttachMemAsync(0, m, 0, cudaMemAttachSingle));
    SAY(cudaMemAdvise(m, 4096, cudaMemAdviseSetReadMostly, l));
    SAY(cudaMemAdvise(m, 4097, cudaMemAdviseSetReadMostly, l));
    SAY(cudaMemAdvise(&i, 4, cudaMemAdviseSetReadMostly, l));
    SAY(cudaMemPrefetchAsync(m, 4096, l, 0, s));
    SAY(cudaMemPrefetchAsync(m, 8192, l, 0, s));
    l.id = 7;
    SAY(cudaMemPrefetchAsync(m, 4096, l, 0, s));
    l.type = cudaMemLocationTypeHost;
    SAY(cudaMemPrefetchAsync(m, 4096, l, 0, s));
    SAY(cudaMemPrefetchAsync(m, 0, l, 0, s));
    int ra;
    SAY(cudaMemRangeGetAttribute(&ra, 4, cudaMemRangeAttributeReadMostly, m, 4096));
    VALUE("%d", ra);
    SAY(cudaMemRangeGetAttribute(&ra, 4, cudaMemRangeAttributePreferredLocation, m, 4096));
    VALUE("%d", ra);
    SAY(cudaMemRangeGetAttribute(&ra, 8, cudaMemRangeAttributeReadMostly, m, 4096));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaFree(m));
    SAY(cudaPointerGetAttributes(&at, m));
    VALUE("%d", at.type);
    SAY(cudaPointerGetAttributes(&at, NULL));
    VALUE("%d", at.type);
    SAY(cudaPointerGetAttributes(&at, &i));
    VALUE("%d", at.type);
    VALUE("%d", at.device);
    SAY(cudaFree(&i));
    SAY(cudaFreeHost(&i));
    SAY(cudaFreeHost(NULL));
    char *h;
    SAY(cudaMallocHost(&h, 4096));
    SAY(cudaFreeHost(h + 16));
    SAY(cudaFree(h));
    SAY(cudaHostUnregister(h));
    void *dp;
    SAY(cudaHostGetDevicePointer(&dp, h, 0));
    SAY(cudaHostGetDevicePointer(&dp, h, 1));
    SAY(cudaHostGetDevicePointer(&dp, &i, 0));
    unsigned f;
    SAY(cudaHostGetFlags(&f, h));
    VALUE("%u", f);
    SAY(cudaHostGetFlags(&f, &i));
    SAY(cudaHostRegister(h, 4096, 0));
    SAY(cudaFreeHost(h));
    static char area[65536];
    SAY(cudaHostRegister(area, 65536, cudaHostRegisterMapped));
    SAY(cudaHostRegister(area, 65536, 0));
    SAY(cudaHostRegister(area + 4096, 64, 0));
    SAY(cudaHostUnregister(area + 16));
    SAY(cudaHostUnregister(area));
    SAY(cudaHostUnregister(area));
    SAY(cudaHostRegister(area, 0, 0));
    SAY(cudaHostRegister(NULL, 64, 0));
    SAY(cudaHostRegister(area, 64, 0x100));
    char *d, *d2;
    size_t pitch;
    cudaMalloc(&d, 1000);
    SAY(cudaMemcpy(d, area, 1001, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(d, area, 0, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(NULL, area, 0, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(NULL, area, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(d, area, 4, (cudaMemcpyKind)7));
    SAY(cudaMemcpy(d, area, 4, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(area, d, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(area, area + 100, 4, cudaMemcpyDefault));
    SAY(cudaMemcpy(d, area, 4, cudaMemcpyHostToHost));
    SAY(cudaMemset(d, 0, 1001));
    SAY(cudaMemset(area, 0, 4));
    SAY(cudaMemset(NULL, 0, 0));
    SAY(cudaMallocPitch(&d2, &pitch, 100, 10));
    VALUE("%zu", pitch);
    SAY(cudaMemcpy2D(d2, 50, area, 100, 100, 10, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(d2, pitch, area, 100, 100, 11, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(d2, pitch, area, 100, 0, 10, cudaMemcpyHostToDevice));
    SAY(cudaMemset2D(d2, 50, 0, 100, 10));
    SAY(cudaMallocPitch(&a, &pitch, 0, 10));
    VALUE("%d", a != NULL);
    SAY(cudaMallocPitch(&a, &pitch, 10, 0));
    SAY(cudaDeviceReset());
    SAY(cudaFree(d));
    SAY(cudaMalloc(&d, 4));
    return 0;
}
