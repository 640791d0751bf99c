// Copies and fills of lines, planes and boxes, of memory and arrays, also later, between devices and many at once (copies.txt).
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

// Calls that are refused are shown, and how many are not.
static int done;
static void tell(const char *call, cudaError_t code)
{
    done += code == cudaSuccess;
    if (code != cudaSuccess)
        printf("%s: %s\n", call, cudaGetErrorName(code));
}
#define TELL(call) tell(#call, call)

enum { WIDE = 24, HIGH = 5, DEEP = 3 };
static unsigned char host[DEEP][HIGH][WIDE], back[DEEP][HIGH][WIDE];
static cudaStream_t stream;

static void sum(const char *name)
{
    unsigned long long all = 0;
    cudaStreamSynchronize(stream);
    for (int i = 0; i < DEEP * HIGH * WIDE; i++)
        all = all * 31 + (&back[0][0][0])[i];
    printf("%s: %016llx\n", name, all);
    memset(back, 0xee, sizeof back);
}

static void planes()
{
    unsigned char *a, *b;
    size_t pitch, other;
    TELL(cudaMallocPitch(&a, &pitch, WIDE, HIGH));
    TELL(cudaMallocPitch(&b, &other, WIDE, HIGH));
    TELL(cudaMemset2D(a, pitch, 7, WIDE, HIGH));
    TELL(cudaMemcpy2DAsync(a + pitch, pitch, host, WIDE, WIDE - 3, HIGH - 1, cudaMemcpyHostToDevice, stream));
    TELL(cudaMemcpy2DAsync(b, other, a, pitch, WIDE, HIGH, cudaMemcpyDeviceToDevice, stream));
    TELL(cudaMemset2DAsync(b + 2 * other + 4, other, 9, 5, 2, stream));
    TELL(cudaMemcpy2DAsync(back, WIDE, b, other, WIDE, HIGH, cudaMemcpyDefault, stream));
    sum("planes");
    TELL(cudaMemcpy2D(back, WIDE, b, other, WIDE + 1, HIGH, cudaMemcpyDeviceToHost));
    printf("left: %s\n", cudaGetErrorName(cudaGetLastError()));
    TELL(cudaMemcpyPeer(a, 0, b, 0, pitch));
    TELL(cudaMemcpyPeerAsync(a, 0, b + other, 0, pitch, stream));
    TELL(cudaMemcpy2D(back, WIDE, a, pitch, WIDE, HIGH, cudaMemcpyDeviceToHost));
    sum("from device to device");
    TELL(cudaFree(a));
    TELL(cudaFree(b));
}

static void boxes()
{
    cudaPitchedPtr box;
    cudaExtent extent = make_cudaExtent(WIDE, HIGH, DEEP);
    TELL(cudaMalloc3D(&box, extent));
    TELL(cudaMemset3D(box, 1, extent));
    TELL(cudaMemset3DAsync(box, 2, make_cudaExtent(WIDE / 2, 2, DEEP), stream));
    cudaMemcpy3DParms in = {};
    in.srcPtr = make_cudaPitchedPtr(host, WIDE, WIDE, HIGH);
    in.srcPos = make_cudaPos(1, 1, 1);
    in.dstPtr = box;
    in.dstPos = make_cudaPos(8, 2, 0);
    in.extent = make_cudaExtent(10, 3, 2);
    in.kind = cudaMemcpyHostToDevice;
    TELL(cudaMemcpy3DAsync(&in, stream));
    cudaMemcpy3DPeerParms peer = {};
    peer.srcPtr = box;
    peer.dstPtr = box;
    peer.dstPos = make_cudaPos(0, 0, 2);
    peer.extent = make_cudaExtent(WIDE, HIGH, 1);
    TELL(cudaMemcpy3DPeerAsync(&peer, stream));
    peer.srcPos = make_cudaPos(8, 2, 0);
    peer.dstPos = make_cudaPos(0, 0, 1);
    peer.extent = make_cudaExtent(4, 1, 1);
    TELL(cudaMemcpy3DPeer(&peer));
    cudaMemcpy3DParms out = {};
    out.srcPtr = box;
    out.dstPtr = make_cudaPitchedPtr(back, WIDE, WIDE, HIGH);
    out.extent = extent;
    out.kind = cudaMemcpyDeviceToHost;
    TELL(cudaStreamSynchronize(stream));
    TELL(cudaMemcpy3D(&out));
    sum("boxes");
    TELL(cudaFree(box.ptr));
}

static void arrays()
{
    cudaArray_t a, b;
    cudaChannelFormatDesc bytes = cudaCreateChannelDesc<unsigned char>(), got;
    cudaExtent extent;
    unsigned flags = 7;
    TELL(cudaMallocArray(&a, &bytes, WIDE, HIGH));
    TELL(cudaMallocArray(&b, &bytes, WIDE, HIGH));
    TELL(cudaGetChannelDesc(&got, a));
    TELL(cudaArrayGetInfo(&got, &extent, &flags, a));
    printf("%d bits of kind %d, %zu x %zu x %zu, flags %u\n", got.x, (int)got.f, extent.width, extent.height,
           extent.depth, flags);
    TELL(cudaMemcpy2DToArrayAsync(a, 0, 0, host, WIDE, WIDE, HIGH, cudaMemcpyHostToDevice, stream));
    TELL(cudaStreamSynchronize(stream));
    TELL(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, WIDE, HIGH, cudaMemcpyDeviceToDevice));
    TELL(cudaMemcpy2DArrayToArray(b, 3, 1, a, 8, 2, 7, 3, cudaMemcpyDeviceToDevice));
    TELL(cudaMemcpy2DFromArrayAsync(back, WIDE, b, 0, 0, WIDE, HIGH, cudaMemcpyDeviceToHost, stream));
    sum("arrays");
    TELL(cudaMemcpyToArray(a, 4, 1, host[1], 30, cudaMemcpyHostToDevice));
    TELL(cudaMemcpyToArrayAsync(a, 0, 4, host[2], WIDE, cudaMemcpyHostToDevice, stream));
    TELL(cudaStreamSynchronize(stream));
    TELL(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, 2 * WIDE, cudaMemcpyDeviceToDevice));
    TELL(cudaMemcpyFromArray(back, b, 0, 0, 3 * WIDE, cudaMemcpyDeviceToHost));
    TELL(cudaMemcpyFromArrayAsync(back[1], a, 0, 4, WIDE, cudaMemcpyDeviceToHost, stream));
    sum("arrays by lines");
    TELL(cudaMemcpy2DToArray(a, 8, 0, host, WIDE, WIDE, HIGH, cudaMemcpyHostToDevice));
    printf("left: %s\n", cudaGetErrorName(cudaGetLastError()));
    TELL(cudaFreeArray(a));
    TELL(cudaFreeArray(b));
    TELL(cudaFreeArray(nullptr));
}

#if CUDART_VERSION >= 12080
static void batch()
{
    unsigned char *a;
    TELL(cudaMalloc(&a, 256));
    TELL(cudaMemset(a, 3, 256));
#if CUDART_VERSION >= 13000
    const void *from[] = { host[0], host[1], a };
#else
    void *from[] = { host[0], host[1], a };
#endif
    void *to[] = { a + 8, a + 64, back[2] };
    size_t sizes[] = { 16, 24, 96 }, first[] = { 0 };
    cudaMemcpyAttributes how = {};
    how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
#if CUDART_VERSION >= 13000
    TELL(cudaMemcpyBatchAsync(to, from, sizes, 2, &how, first, 1, stream));
    TELL(cudaStreamSynchronize(stream));
    TELL(cudaMemcpyBatchAsync(to + 2, from + 2, sizes + 2, 1, &how, first, 1, stream));
#else
    size_t failed;
    TELL(cudaMemcpyBatchAsync(to, from, sizes, 2, &how, first, 1, &failed, stream));
    TELL(cudaStreamSynchronize(stream));
    TELL(cudaMemcpyBatchAsync(to + 2, from + 2, sizes + 2, 1, &how, first, 1, &failed, stream));
#endif
    sum("many at once");
    TELL(cudaFree(a));
}
#endif

static void objects()
{
    cudaArray_t array;
    cudaChannelFormatDesc bytes = cudaCreateChannelDesc<unsigned char>();
    cudaResourceDesc of = {}, got = {};
    cudaTextureDesc how = {}, is = {};
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    size_t width = 0;
    TELL(cudaMallocArray(&array, &bytes, WIDE, HIGH, cudaArraySurfaceLoadStore));
    of.resType = cudaResourceTypeArray;
    of.res.array.array = array;
    how.addressMode[0] = cudaAddressModeMirror;
    how.normalizedCoords = 1;
    TELL(cudaCreateTextureObject(&texture, &of, &how, nullptr));
    TELL(cudaGetTextureObjectResourceDesc(&got, texture));
    TELL(cudaGetTextureObjectTextureDesc(&is, texture));
    printf("%d %d %d\n", got.res.array.array == array, (int)is.addressMode[0], is.normalizedCoords);
    got = {};
    TELL(cudaCreateSurfaceObject(&surface, &of));
    TELL(cudaGetSurfaceObjectResourceDesc(&got, surface));
    printf("%d\n", got.res.array.array == array);
    TELL(cudaDeviceGetTexture1DLinearMaxWidth(&width, &bytes, 0));
    printf("%s\n", width >= 1 << 27 ? "long lines" : "short lines");
    TELL(cudaDestroySurfaceObject(surface));
    TELL(cudaDestroyTextureObject(texture));
    TELL(cudaFreeArray(array));
}

int main()
{
    for (int i = 0; i < DEEP * HIGH * WIDE; i++)
        (&host[0][0][0])[i] = (unsigned char)(i * 7 + 3);
    memset(back, 0xee, sizeof back);
    TELL(cudaStreamCreate(&stream));
    planes();
    boxes();
    arrays();
    objects();
#if CUDART_VERSION >= 12080
    batch();
#endif
    TELL(cudaStreamDestroy(stream));
    printf("%d calls are done\n", done);
}
