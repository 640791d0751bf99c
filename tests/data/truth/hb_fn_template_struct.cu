//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_fn_template_struct<<<2, 96>>>(a, b, f, d, v, c, idx, 1)
template <typename T, int N> struct hb_fn_template_struct_pack { T e[N]; int used; };
template <typename T, int N> __device__ hb_fn_template_struct_pack<T, N> hb_fn_template_struct_load(const T *p, int step)
{
    hb_fn_template_struct_pack<T, N> r;
    for (int i = 0; i < N; ++i)
        r.e[i] = p[i * step];
    r.used = N;
    return r;
}
template <typename T, int N> __device__ __noinline__ T hb_fn_template_struct_horner(hb_fn_template_struct_pack<T, N> q, T x)
{
    T s = 0;
    for (int i = 0; i < q.used; ++i)
        s = s * x + q.e[i];
    return s;
}
extern "C" __global__ void hb_fn_template_struct(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    b[t] = hb_fn_template_struct_horner<int, 5>(hb_fn_template_struct_load<int, 5>(a + t, 7), 3);
    f[5000 + t] = hb_fn_template_struct_horner<float, 3>(hb_fn_template_struct_load<float, 3>(f + t * 2, 1), 0.3f);
    d[5000 + t] = hb_fn_template_struct_horner<double, 4>(hb_fn_template_struct_load<double, 4>(d + t, 33), 1.1);
}
