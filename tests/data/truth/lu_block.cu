//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch lu_block<<<3, dim3(20, 20)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void lu_block(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ double m[20][20];
    int r = threadIdx.y, q = threadIdx.x;
    double *out = d + 200000 + blockIdx.x * 400;
    m[r][q] = (double)(idx[blockIdx.x * 400 + r * 20 + q] & 255) / 16.0 + (r == q ? 300.0 : 0.0);
    __syncthreads();
    for (int k = 0; k < 19; k++) {
        if (q == k && r > k)
            m[r][k] /= m[k][k];
        __syncthreads();
        if (r > k && q > k)
            m[r][q] -= m[r][k] * m[k][q];
        __syncthreads();
    }
    out[r * 20 + q] = m[r][q];
}
