//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch saxpy_float4<<<6, 192>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void saxpy_float4(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    const float alpha = 2.5f;
    const float4 *x = reinterpret_cast<const float4 *>(f);
    float4 *y = reinterpret_cast<float4 *>(f + 65536);
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 4000; i += stride) {
        float4 p = x[i], q = y[i];
        q.x = alpha * p.x + q.x;
        q.y = alpha * p.y + q.y;
        q.z = alpha * p.z + q.z;
        q.w = alpha * p.w + q.w;
        y[i] = q;
    }
}
