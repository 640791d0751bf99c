// A matrix times its transpose, in tiles of 32 x 32 of which each thread makes 2 x 2.
//@ param   m = 512
//@ buffer  a float[m * m] = i % 11
//@ buffer  c float[m * m]
//@ launch  gram<<<dim3(m / 32, m / 32), dim3(16, 16)>>>(a, c, m)
extern "C" __global__ void gram(const float *a, float *c, int m)
{
    __shared__ float p[32][33], q[32][33];
    int x = threadIdx.x, y = threadIdx.y;
    const float *rows = a + blockIdx.y * 32 * m, *others = a + blockIdx.x * 32 * m;
    float s00 = 0, s01 = 0, s10 = 0, s11 = 0;
    for (int from = 0; from < m; from += 32) {
        for (int i = 0; i < 32; i += 16)
            for (int j = 0; j < 32; j += 16) {
                p[y + i][x + j] = rows[(y + i) * m + from + x + j];
                q[y + i][x + j] = others[(y + i) * m + from + x + j];
            }
        __syncthreads();
        for (int k = 0; k < 32; k++) {
            float p0 = p[y][k], p1 = p[y + 16][k], q0 = q[x][k], q1 = q[x + 16][k];
            s00 += p0 * q0;
            s01 += p0 * q1;
            s10 += p1 * q0;
            s11 += p1 * q1;
        }
        __syncthreads();
    }
    float *out = c + blockIdx.y * 32 * m + blockIdx.x * 32;
    out[y * m + x] = s00;
    out[y * m + x + 16] = s01;
    out[(y + 16) * m + x] = s10;
    out[(y + 16) * m + x + 16] = s11;
}
