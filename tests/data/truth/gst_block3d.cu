//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch gst_block3d<<<dim3(2,1,1), dim3(5,4,6)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void gst_block3d(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    b[blockIdx.x * 120 + threadIdx.x * 24 + threadIdx.y * 6 + threadIdx.z] = a[i + 1000 * blockIdx.x];
}
