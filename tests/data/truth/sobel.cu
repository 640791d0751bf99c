//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch sobel<<<dim3(4, 4), dim3(16, 12)>>>(a, b, f, d, v, c, idx, 1)
static __device__ unsigned char sobel_gray(uchar4 p)
{
    return (unsigned char)((77 * p.x + 150 * p.y + 29 * p.z) >> 8);
}

extern "C" __global__ void sobel(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ unsigned char t[14][18];
    const int W = 64, H = 48;
    const uchar4 *img = (const uchar4 *)c;
    int x0 = blockIdx.x * 16 - 1, y0 = blockIdx.y * 12 - 1;
    for (int k = threadIdx.y * 16 + threadIdx.x; k < 14 * 18; k += 192) {
        int x = min(max(x0 + k % 18, 0), W - 1), y = min(max(y0 + k / 18, 0), H - 1);
        t[k / 18][k % 18] = sobel_gray(img[y * W + x]);
    }
    __syncthreads();
    int i = threadIdx.y, j = threadIdx.x;
    int gx = t[i][j + 2] + 2 * t[i + 1][j + 2] + t[i + 2][j + 2] - t[i][j] - 2 * t[i + 1][j] - t[i + 2][j];
    int gy = t[i + 2][j] + 2 * t[i + 2][j + 1] + t[i + 2][j + 2] - t[i][j] - 2 * t[i][j + 1] - t[i][j + 2];
    float mag = sqrtf((float)(gx * gx + gy * gy));
    c[60000 + (y0 + 1 + i) * W + x0 + 1 + j] = mag > 255.0f ? 255 : (unsigned char)mag;
}
