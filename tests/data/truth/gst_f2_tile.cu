//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch gst_f2_tile<<<dim3(3,2), dim3(8,6)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void gst_f2_tile(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 6 + threadIdx.y; ((float2 *)f)[y * 40 + x] = make_float2((float)x, (float)y);
}
