//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch floyd_tile<<<2, dim3(24, 24)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void floyd_tile(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ int dist[24][25];
    int i = threadIdx.y, j = threadIdx.x;
    int w = idx[blockIdx.x * 576 + i * 24 + j];
    dist[i][j] = i == j ? 0 : (w % 5 == 0 ? 1000000 : w);
    __syncthreads();
    for (int k = 0; k < 24; k++) {
        int alt = dist[i][k] + dist[k][j];
        __syncthreads();
        if (alt < dist[i][j])
            dist[i][j] = alt;
        __syncthreads();
    }
    b[blockIdx.x * 576 + i * 24 + j] = dist[i][j];
}
