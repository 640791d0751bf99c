//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch blk_matmul_8x24<<<4, dim3(24,8)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void blk_matmul_8x24(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ float A[8][17], B[16][24]; int x = threadIdx.x, y = threadIdx.y; float acc = 0;
    for (int m = 0; m < 3; m++) { if (x < 16) A[y][x] = f[(blockIdx.x * 8 + y) * 48 + m * 16 + x] * 0.25f; B[y][x] = f[8192 + (m * 16 + y) * 24 + x]; B[y + 8][x] = f[8192 + (m * 16 + y + 8) * 24 + x]; __syncthreads(); for (int k = 0; k < 16; k++) acc += A[y][k] * B[k][x]; __syncthreads(); }
    f[32768 + (blockIdx.x * 8 + y) * 24 + x] = acc;
}
