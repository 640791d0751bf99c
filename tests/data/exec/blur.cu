// A blur from a texture to a surface, in a graph that is captured and updated three times. blur.txt is what nvcc makes of it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CK(x)                                                                                                \
    do {                                                                                                     \
        cudaError_t e_ = (x);                                                                                \
        if (e_ != cudaSuccess) {                                                                             \
            fprintf(stderr, "%s failed: %s (%d)\n", #x, cudaGetErrorName(e_), e_);                           \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)
__constant__ float weights[5];
__global__ void blur_x(cudaTextureObject_t in, cudaSurfaceObject_t out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float4 s = make_float4(0, 0, 0, 0);
    for (int k = -2; k <= 2; k++) {
        float4 p = tex2D<float4>(in, x + k + 0.5f, y + 0.5f);
        float f = weights[k + 2];
        s.x += f * p.x;
        s.y += f * p.y;
        s.z += f * p.z;
        s.w += f * p.w;
    }
    surf2Dwrite(make_uchar4(s.x * 255 + .5f, s.y * 255 + .5f, s.z * 255 + .5f, 255), out, x * sizeof(uchar4),
                y);
}
__global__ void brightest(cudaSurfaceObject_t in, unsigned *most, int w, int h, unsigned bias)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned v = 0;
    if (x < w && y < h) {
        uchar4 p;
        surf2Dread(&p, in, x * (int)sizeof p, y);
        v = p.x + p.y + p.z + bias;
    }
    for (int o = 16; o; o >>= 1)
        v = max(v, __shfl_down_sync(0xffffffff, v, o));
    if ((threadIdx.y * blockDim.x + threadIdx.x) % 32 == 0)
        atomicMax(most, v);
}
int main()
{
    const int w = 70, h = 33;
    std::vector<uchar4> image(w * h);
    for (int i = 0; i < w * h; i++)
        image[i] = make_uchar4(i % 256, i / w * 7 % 256, i * i % 251, 255);
    float wt[5] = { 1 / 16.f, 4 / 16.f, 6 / 16.f, 4 / 16.f, 1 / 16.f };
    CK(cudaMemcpyToSymbol(weights, wt, sizeof wt));
    uchar4 *dev;
    size_t pitch;
    CK(cudaMallocPitch(&dev, &pitch, w * sizeof(uchar4), h));
    CK(cudaMemcpy2D(dev, pitch, image.data(), w * sizeof(uchar4), w * sizeof(uchar4), h,
                    cudaMemcpyHostToDevice));
    cudaResourceDesc rd{};
    rd.resType = cudaResourceTypePitch2D;
    rd.res.pitch2D = { dev, cudaCreateChannelDesc<uchar4>(), (size_t)w, (size_t)h, pitch };
    cudaTextureDesc td{};
    td.addressMode[0] = td.addressMode[1] = cudaAddressModeClamp;
    td.filterMode = cudaFilterModePoint;
    td.readMode = cudaReadModeNormalizedFloat;
    cudaTextureObject_t tex;
    CK(cudaCreateTextureObject(&tex, &rd, &td, nullptr));
    cudaArray_t arr;
    cudaChannelFormatDesc cd = cudaCreateChannelDesc<uchar4>();
    CK(cudaMallocArray(&arr, &cd, w, h, cudaArraySurfaceLoadStore));
    cudaResourceDesc sd{};
    sd.resType = cudaResourceTypeArray;
    sd.res.array.array = arr;
    cudaSurfaceObject_t surf;
    CK(cudaCreateSurfaceObject(&surf, &sd));
    unsigned *most, host = 0;
    CK(cudaMalloc(&most, sizeof *most));
    dim3 block(32, 8), grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);
    cudaStream_t stream;
    CK(cudaStreamCreate(&stream));
    cudaGraph_t graph;
    cudaGraphExec_t exec = nullptr;
    for (unsigned bias = 0; bias < 3; bias++) {
        CK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        CK(cudaMemsetAsync(most, 0, sizeof *most, stream));
        blur_x<<<grid, block, 0, stream>>>(tex, surf, w, h);
        brightest<<<grid, block, 0, stream>>>(surf, most, w, h, bias * 1000);
        CK(cudaMemcpyAsync(&host, most, sizeof host, cudaMemcpyDeviceToHost, stream));
        CK(cudaStreamEndCapture(stream, &graph));
#if CUDART_VERSION >= 12000
        cudaGraphExecUpdateResultInfo info;
        if (exec && cudaGraphExecUpdate(exec, graph, &info) != cudaSuccess)
            return 3;
        if (!exec)
            CK(cudaGraphInstantiate(&exec, graph, 0));
#endif
        CK(cudaGraphLaunch(exec, stream));
        CK(cudaStreamSynchronize(stream));
        CK(cudaGraphDestroy(graph));
        printf("%u ", host);
    }
    std::vector<uchar4> back(w * h);
    CK(cudaMemcpy2DFromArray(back.data(), w * sizeof(uchar4), arr, 0, 0, w * sizeof(uchar4), h,
                             cudaMemcpyDeviceToHost));
    uint32_t sum = 0;
    for (auto p : back)
        sum = sum * 31 + p.x + p.y * 7 + p.z * 3;
    printf("%08x\n", sum);
    CK(cudaGraphExecDestroy(exec));
    CK(cudaDestroyTextureObject(tex));
    CK(cudaDestroySurfaceObject(surf));
    CK(cudaFreeArray(arr));
    CK(cudaFree(dev));
    CK(cudaFree(most));
    CK(cudaStreamDestroy(stream));
}
