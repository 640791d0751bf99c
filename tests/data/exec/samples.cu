// Warp-aggregated atomics, complex numbers, symbols, pitched and three-dimensional memory, printf (samples.txt).
#include <cstdio>
#include <cstring>
#include <cuComplex.h>
#include <cuda_runtime.h>
__device__ int counter;
__constant__ int lut[16];
__device__ float3 dir = { 1, 2, 3 };
constexpr __host__ __device__ int sq(int x)
{
    return x * x;
}
__device__ int agg(int *c)
{
    unsigned m = __activemask();
    int l = threadIdx.x & 31, lead = __ffs(m) - 1, base;
    if (l == lead)
        base = atomicAdd(c, __popc(m));
    base = __shfl_sync(m, base, lead);
    return base + __popc(m & ((1u << l) - 1));
}
__global__ void filter(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 0)
        out[agg(&counter)] = in[i] + lut[i % 16];
}
__global__ void cplx(cuFloatComplex *a, cuDoubleComplex *b)
{
    int i = threadIdx.x;
    cuFloatComplex x = make_cuFloatComplex(i, 1);
    a[i] = cuCmulf(x, cuConjf(x));
    a[i].y += cuCabsf(x);
    b[i] = cuCdiv(make_cuDoubleComplex(1, i), make_cuDoubleComplex(2, 1));
    b[i] = cuCadd(b[i], b[i]);
}
__global__ void pitch2(float *p, size_t pitch, int w, int h)
{
    int x = threadIdx.x, y = threadIdx.y;
    if (x < w && y < h)
        ((float *)((char *)p + y * pitch))[x] += x * 10 + y;
}
__global__ void say()
{
    if (threadIdx.x == 1)
        printf("%5.2f|%-6d|%#x|%s|%c|%lld|%p|%%|%e\n", 3.14159, 42, 255, "text", 'z', 1ll << 40, (void *)0,
               1.5);
}
int main()
{
    int in[100], *d, *o, l[16], c, zero = 0;
    cudaStream_t s;
    cudaStreamCreate(&s);
    for (int i = 0; i < 100; i++)
        in[i] = i;
    for (int i = 0; i < 16; i++)
        l[i] = 1000 * i;
    cudaMalloc(&d, sizeof in);
    cudaMalloc(&o, sizeof in);
    cudaMemcpyToSymbolAsync(lut, l, sizeof l, 0, cudaMemcpyHostToDevice, s);
    cudaMemcpyToSymbolAsync(counter, &zero, sizeof zero, 0, cudaMemcpyHostToDevice, s);
    cudaMemcpyAsync(d, in, sizeof in, cudaMemcpyHostToDevice, s);
    filter<<<4, 32, 0, s>>>(d, o, 100);
    cudaMemcpyFromSymbolAsync(&c, counter, sizeof c, 0, cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
    printf("%d %d\n", c, sq(4));
    float3 f;
    cudaMemcpyFromSymbol(&f, dir, sizeof f);
    printf("%g\n", f.z);
    void *sa;
    size_t ss;
    cudaGetSymbolAddress(&sa, dir);
    cudaGetSymbolSize(&ss, dir);
    printf("%d\n", (int)ss);
    cuFloatComplex *a;
    cuDoubleComplex *b;
    cudaMallocManaged(&a, 8 * sizeof *a);
    cudaMallocManaged(&b, 8 * sizeof *b);
    cplx<<<1, 8>>>(a, b);
    cudaDeviceSynchronize();
    printf("%g %g %g %g\n", a[3].x, a[3].y, b[3].x, b[3].y);
    float *p, h[6][5];
    size_t pb;
    cudaMallocPitch(&p, &pb, 5 * 4, 6);
    cudaMemset2D(p, pb, 0, 20, 6);
    pitch2<<<1, dim3(8, 8)>>>(p, pb, 5, 6);
    cudaMemcpy2D(h, 20, p, pb, 20, 6, cudaMemcpyDeviceToHost);
    printf("%g\n", h[5][4]);
    cudaPitchedPtr p3;
    cudaExtent e = make_cudaExtent(16, 4, 3);
    cudaMalloc3D(&p3, e);
    cudaMemset3D(p3, 7, e);
    unsigned char h3[3][4][16];
    cudaMemcpy3DParms m = { 0 };
    m.srcPtr = p3;
    m.dstPtr = make_cudaPitchedPtr(h3, 16, 16, 4);
    m.extent = e;
    m.kind = cudaMemcpyDeviceToHost;
    printf("%d ", cudaMemcpy3D(&m));
    printf("%d\n", h3[2][3][15]);
    say<<<1, 2>>>();
    cudaDeviceSynchronize();
    cudaFree(d);
    cudaFree(o);
    cudaFree(a);
    cudaFree(b);
    cudaFree(p);
    cudaFree(p3.ptr);
    cudaStreamDestroy(s);
}
