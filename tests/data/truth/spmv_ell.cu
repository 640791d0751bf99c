//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch spmv_ell<<<4, 100>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void spmv_ell(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    const int rows = 390, width = 12;
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int sum = 0, used = 0;
    for (int k = 0; k < width; k++) {
        int e = k * rows + row;
        int col = idx[e];
        if ((col & 7) == 7)
            col = -1;
        if (col >= 0) {
            sum += c[e] * a[col];
            used++;
        }
    }
    b[row] = sum;
    b[rows + row] = used;
}
