//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch matmul_regblock<<<dim3(2, 2), 256>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void matmul_regblock(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ float As[8][64], Bs[8][64];
    const int N = 128, K = 48;
    const float *A = f, *B = f + 16384;
    int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 8) {
        for (int e = tid; e < 512; e += 256) {
            As[e % 8][e / 8] = A[(row0 + e / 8) * K + k0 + e % 8];
            Bs[e / 64][e % 64] = B[(k0 + e / 64) * N + col0 + e % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float ra[4], rb[4];
            for (int i = 0; i < 4; i++) ra[i] = As[k][ty * 4 + i];
            for (int j = 0; j < 4; j++) rb[j] = Bs[k][tx + 16 * j];
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            f[65536 + (row0 + ty * 4 + i) * N + col0 + tx + 16 * j] = acc[i][j];
}
