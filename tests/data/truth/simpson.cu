//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch simpson<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
__constant__ double simpson_coef[6] = {1.0, -0.5, 0.25, 3.0, -2.0, 0.125};

static __device__ double simpson_poly(double x)
{
    double r = simpson_coef[5];
#pragma unroll
    for (int i = 4; i >= 0; i--)
        r = r * x + simpson_coef[i];
    return r / (1.0 + x * x);
}

extern "C" __global__ void simpson(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ double s[128];
    const int steps = 4 * 128 * 4;
    const double h = 1.0 / steps;
    double sum = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < steps; i += gridDim.x * blockDim.x) {
        double x = i * h;
        sum += simpson_poly(x) + 4.0 * simpson_poly(x + 0.5 * h) + simpson_poly(x + h);
    }
    s[threadIdx.x] = sum * h / 6.0;
    for (int w = blockDim.x / 2; w > 0; w >>= 1) {
        __syncthreads();
        if (threadIdx.x < w)
            s[threadIdx.x] += s[threadIdx.x + w];
    }
    if (threadIdx.x == 0)
        d[blockIdx.x] = s[0];
}
