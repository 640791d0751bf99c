// The sums of |a - b| between all of 640 and all of 900 vectors of 48
// floats, tiled like a product of matrices: 4 x 2 results to a thread.
//@ param   m = 640
//@ param   n = 900
//@ param   dim = 48
//@ buffer  a float[m * dim] = hash(i) % 1000 * 0.01
//@ buffer  b float[n * dim] = hash(i + 77) % 1000 * 0.01
//@ buffer  d float[m * n]
//@ launch  cdist<<<dim3((n + 31) / 32, m / 64), dim3(16, 16)>>>(a, b, d, n,
//@                                                 dim)
constexpr int kStep = 16;

__global__ void cdist(const float *__restrict__ a,
                      const float *__restrict__ b, float *__restrict__ d,
                      int n, int dim)
{
    __shared__ float as[kStep][64 + 1];
    __shared__ float bs[kStep][32 + 1];

    int t = threadIdx.y * 16 + threadIdx.x;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 32;
    float sum[4][2] = {};

    for (int k0 = 0; k0 < dim; k0 += kStep) {
        for (int e = t; e < 64 * kStep; e += 256)
            as[e % kStep][e / kStep] =
                a[(row0 + e / kStep) * dim + k0 + e % kStep];
        for (int e = t; e < 32 * kStep; e += 256) {
            int col = col0 + e / kStep;
            bs[e % kStep][e / kStep] =
                col < n ? b[col * dim + k0 + e % kStep] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < kStep; k++) {
            float x[4], y[2];
            for (int i = 0; i < 4; i++)
                x[i] = as[k][threadIdx.y + 16 * i];
            for (int j = 0; j < 2; j++)
                y[j] = bs[k][threadIdx.x + 16 * j];
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 2; j++)
                    sum[i][j] += fabsf(x[i] - y[j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++) {
            int col = col0 + threadIdx.x + 16 * j;
            if (col < n)
                d[(row0 + threadIdx.y + 16 * i) * n + col] = sum[i][j];
        }
}
