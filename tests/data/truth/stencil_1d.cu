//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch stencil_1d<<<9, 128>>>(a, b, f, d, v, c, idx, 1)
#define stencil_1d_R 3
__constant__ float stencil_1d_w[2 * stencil_1d_R + 1] = {0.5f, -1.25f, 3.0f, 1.0f, 3.0f, -1.25f, 0.5f};

extern "C" __global__ void stencil_1d(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ float temp[128 + 2 * stencil_1d_R];
    int g = blockIdx.x * blockDim.x + threadIdx.x + stencil_1d_R;
    int l = threadIdx.x + stencil_1d_R;
    temp[l] = f[g];
    if (threadIdx.x < stencil_1d_R) {
        temp[l - stencil_1d_R] = f[g - stencil_1d_R];
        temp[l + 128] = f[g + 128];
    }
    __syncthreads();
    float r = 0.0f;
    for (int o = -stencil_1d_R; o <= stencil_1d_R; o++)
        r += stencil_1d_w[o + stencil_1d_R] * temp[l + o];
    f[40000 + g] = r;
}
