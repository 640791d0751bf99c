//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hist_perwarp<<<6, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hist_perwarp(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ unsigned int h[4][128];
    for (int i = threadIdx.x; i < 4 * 128; i += blockDim.x)
        (&h[0][0])[i] = 0;
    __syncthreads();
    unsigned int *mine = h[threadIdx.x / 32];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 4500; i += gridDim.x * blockDim.x) {
        int4 q = v[i];
        atomicAdd(&mine[(q.x * 2654435761u) >> 25], 1u);
        atomicAdd(&mine[idx[i] & 127], 2u);
    }
    __syncthreads();
    unsigned int sum = h[0][threadIdx.x] + h[1][threadIdx.x] + h[2][threadIdx.x] + h[3][threadIdx.x];
    if (sum)
        atomicAdd((unsigned int *)&b[threadIdx.x], sum);
}
