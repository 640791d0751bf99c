//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch xorshift_pi<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
static __device__ unsigned xorshift_pi_next(unsigned &s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

extern "C" __global__ void xorshift_pi(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ int hits;
    if (threadIdx.x == 0) hits = 0;
    __syncthreads();
    unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345u;
    int mine = 0;
    for (int i = 0; i < 40; i++) {
        float x = (xorshift_pi_next(state) >> 8) * (1.0f / 16777216.0f);
        float y = (xorshift_pi_next(state) >> 8) * (1.0f / 16777216.0f);
        if (x * x + y * y <= 1.0f) mine++;
    }
    atomicAdd(&hits, mine);
    __syncthreads();
    if (threadIdx.x == 0) {
        b[blockIdx.x] = hits;
        f[blockIdx.x] = 4.0f * hits / (40.0f * blockDim.x);
    }
}
