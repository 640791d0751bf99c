//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch spmv_vector<<<6, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void spmv_vector(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    const int LPR = 8;
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    int row = gid / LPR, lane = gid % LPR;
    const int *cols = idx + 2048;
    int start = row * 20 + (idx[row] & 31) / 2;
    int end = (row + 1) * 20 + (idx[row + 1] & 31) / 2;
    double sum = 0.0;
    for (int e = start + lane; e < end; e += LPR)
        sum += d[e] * d[4096 + cols[e]];
    for (int off = LPR / 2; off > 0; off /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, off, LPR);
    if (lane == 0)
        d[40000 + row] = sum;
}
