// Textures and surfaces that a kernel file declares. Plain clang has no functions for them: there they are PTX.
//@ param   n = 8
//@ buffer  x float[n * n] = i
//@ buffer  bytes unsigned char[n * n] = 51
//@ buffer  drawn int[n * n]
//@ buffer  y float[n * n]
//@ texture row = x
//@ texture mean = x width=n height=n filter=linear
//@ texture outside = x width=n height=n address=border
//@ texture around = x width=n height=n address=wrap normalized
//@ texture unit = bytes width=n height=n read=normalized
//@ texture back = drawn width=n height=n
//@ surface canvas = drawn width=n height=n
//@ launch  draw<<<1, n * n>>>(canvas)
//@ launch  fetch<<<1, n * n>>>(row, mean, outside, around, unit, back, drawn, y)
#ifdef __clang__
typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
#define FETCH "{\n.reg .f32 g, b, a;\ntex."
template <class T> __device__ T tex1Dfetch(cudaTextureObject_t t, int x)
{
    float v;
    asm volatile(FETCH "1d.v4.f32.s32 {%0, g, b, a}, [%1, {%2}];\n}" : "=f"(v) : "l"(t), "r"(x));
    return v;
}
template <class T> __device__ T tex2D(cudaTextureObject_t t, float x, float y)
{
    float v;
    asm volatile(FETCH "2d.v4.f32.f32 {%0, g, b, a}, [%1, {%2, %3}];\n}" : "=f"(v) : "l"(t), "f"(x), "f"(y));
    return v;
}
template <> __device__ int tex2D<int>(cudaTextureObject_t t, float x, float y)
{
    int v;
    asm volatile("{\n.reg .b32 g, b, a;\ntex.2d.v4.s32.f32 {%0, g, b, a}, [%1, {%2, %3}];\n}"
                 : "=r"(v)
                 : "l"(t), "f"(x), "f"(y));
    return v;
}
__device__ void surf2Dwrite(int v, cudaSurfaceObject_t s, int x, int y)
{
    asm volatile("sust.b.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(s), "r"(x), "r"(y), "r"(v) : "memory");
}
#endif

extern "C" __global__ void draw(cudaSurfaceObject_t canvas)
{
    int i = threadIdx.x;
    surf2Dwrite(10 * i, canvas, i % 8 * 4, i / 8);
}

extern "C" __global__ void fetch(cudaTextureObject_t row, cudaTextureObject_t mean, cudaTextureObject_t outside,
                                 cudaTextureObject_t around, cudaTextureObject_t unit, cudaTextureObject_t back,
                                 const int *drawn, float *y)
{
    int i = threadIdx.x;
    float u = i % 8 + 0.5f, v = i / 8 + 0.5f;
    y[i] = tex1Dfetch<float>(row, i);
    if (i == 9)
        printf("%g %g %g %g %g %d %d\n", y[i], tex2D<float>(mean, u + 0.5f, v + 0.5f),
               tex2D<float>(outside, u + 7, v), tex2D<float>(around, (u + 7) / 8, v / 8),
               tex2D<float>(unit, u, v), tex2D<int>(back, u, v), drawn[i]);
}
