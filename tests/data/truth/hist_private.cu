//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hist_private<<<4, 64>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hist_private(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ unsigned char cnt[64][16];
    int tid = threadIdx.x;
    for (int i = tid; i < 64 * 16 / 4; i += 64)
        ((unsigned int *)cnt)[i] = 0;
    __syncthreads();
    for (int i = 0; i < 30; i++) {
        unsigned char x = c[(blockIdx.x * 30 + i) * 64 + tid];
        cnt[tid][x >> 4]++;
    }
    __syncthreads();
    if (tid < 16) {
        int total = 0;
        for (int t = 0; t < 64; t++)
            total += cnt[(t + tid) & 63][tid];
        atomicAdd(&b[tid], total);
    }
}
