//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch julia_struct<<<dim3(3, 10), dim3(20, 5)>>>(a, b, f, d, v, c, idx, 1)
struct julia_struct_cplx {
    double r, i;
    __device__ julia_struct_cplx(double a, double b) : r(a), i(b) {}
    __device__ double norm() const { return r * r + i * i; }
    __device__ julia_struct_cplx operator*(const julia_struct_cplx &o) const { return julia_struct_cplx(r * o.r - i * o.i, i * o.r + r * o.i); }
    __device__ julia_struct_cplx operator+(const julia_struct_cplx &o) const { return julia_struct_cplx(r + o.r, i + o.i); }
};

static __device__ int julia_struct_test(int x, int y, int dim)
{
    const double scale = 1.5;
    julia_struct_cplx cc(-0.8, 0.156), z(scale * (dim / 2 - x) / (dim / 2), scale * (dim / 2 - y) / (dim / 2));
    for (int k = 0; k < 60; k++) {
        z = z * z + cc;
        if (z.norm() > 1000.0) return k;
    }
    return -1;
}

extern "C" __global__ void julia_struct(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    int k = julia_struct_test(x, y, 60);
    ((uchar4 *)c)[x + y * 60] = make_uchar4(k < 0 ? 255 : 0, k & 255, 0, 255);
}
