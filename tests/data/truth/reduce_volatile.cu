//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch reduce_volatile<<<6, 256>>>(a, b, f, d, v, c, idx, 1)
static __device__ void reduce_volatile_tail(volatile int *s, int tid)
{
    int x = s[tid];
    x += s[tid + 32]; __syncwarp(); s[tid] = x; __syncwarp();
    x += s[tid + 16]; __syncwarp(); s[tid] = x; __syncwarp();
    x += s[tid + 8];  __syncwarp(); s[tid] = x; __syncwarp();
    x += s[tid + 4];  __syncwarp(); s[tid] = x; __syncwarp();
    x += s[tid + 2];  __syncwarp(); s[tid] = x; __syncwarp();
    x += s[tid + 1];  __syncwarp(); s[tid] = x;
}

extern "C" __global__ void reduce_volatile(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ int s[256];
    int tid = threadIdx.x;
    int i = blockIdx.x * 512 + tid;
    s[tid] = c[i] + c[i + 256];
    __syncthreads();
    if (tid < 128) s[tid] += s[tid + 128];
    __syncthreads();
    if (tid < 64) s[tid] += s[tid + 64];
    __syncthreads();
    if (tid < 32) reduce_volatile_tail(s, tid);
    if (tid == 0) b[blockIdx.x] = s[0];
}
