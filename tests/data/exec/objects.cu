// Virtual functions, new and delete, recursion, function pointers and unions in kernels (objects.txt).
#include <cstdio>
#include <cstdlib>
#define CHECK(x)                                                                                             \
    do {                                                                                                     \
        cudaError_t e = (x);                                                                                 \
        if (e != cudaSuccess) {                                                                              \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e));                        \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)
class Shape
{
  public:
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape()
    {
    }
};
class Square : public Shape
{
    float s;

  public:
    __device__ Square(float s) : s(s)
    {
    }
    __device__ float area() const override
    {
        return s * s;
    }
};
class Circle : public Shape
{
    float r;

  public:
    __device__ Circle(float r) : r(r)
    {
    }
    __device__ float area() const override
    {
        return 3.0f * r * r;
    }
};
__device__ int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
typedef float (*op_t)(float, float);
__device__ float add(float a, float b)
{
    return a + b;
}
__device__ float mul(float a, float b)
{
    return a * b;
}
__device__ op_t ops[2] = { add, mul };
union bits {
    float f;
    unsigned u;
    struct {
        unsigned m : 23, e : 8, s : 1;
    } p;
};
__global__ void make(Shape **out)
{
    if (threadIdx.x == 0) {
        out[0] = new Square(2);
        out[1] = new Circle(1);
    }
}
__global__ void use(Shape **s, float *o, int *f, unsigned *u, op_t given)
{
    int i = threadIdx.x;
    o[i] = s[i % 2]->area() + ops[i % 2](i, 2) + given(1, 2);
    f[i] = fib(i);
    bits b;
    b.f = (float)i;
    u[i] = b.p.e;
}
__global__ void drop(Shape **s)
{
    if (threadIdx.x < 2)
        delete s[threadIdx.x];
}
int main()
{
    Shape **s;
    float *o, ho[8];
    int *f, hf[8];
    unsigned *u, hu[8];
    op_t h;
    CHECK(cudaMalloc(&s, 2 * sizeof *s));
    CHECK(cudaMalloc(&o, sizeof ho));
    CHECK(cudaMalloc(&f, sizeof hf));
    CHECK(cudaMalloc(&u, sizeof hu));
    CHECK(cudaMemcpyFromSymbol(&h, ops, sizeof h));
    make<<<1, 32>>>(s);
    CHECK(cudaGetLastError());
    use<<<1, 8>>>(s, o, f, u, h);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    drop<<<1, 2>>>(s);
    CHECK(cudaMemcpy(ho, o, sizeof ho, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(hf, f, sizeof hf, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(hu, u, sizeof hu, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++)
        printf("%g %d %u\n", ho[i], hf[i], hu[i]);
    cudaFree(s);
    cudaFree(o);
    cudaFree(f);
    cudaFree(u);
}
