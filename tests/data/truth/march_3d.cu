//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch march_3d<<<dim3(2, 3), dim3(16, 8)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void march_3d(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ double plane[10][18];
    const int W = 34, H = 26, D = 9, P = W * H;
    int x = blockIdx.x * 16 + threadIdx.x + 1, y = blockIdx.y * 8 + threadIdx.y + 1;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int i = y * W + x;
    double *out = d + 131072;
    double behind = d[i], cur = d[i + P], front;
    for (int z = 1; z < D - 1; z++) {
        front = d[i + (z + 1) * P];
        plane[ty][tx] = cur;
        if (tx == 1)  plane[ty][0]  = d[i + z * P - 1];
        if (tx == 16) plane[ty][17] = d[i + z * P + 1];
        if (ty == 1)  plane[0][tx]  = d[i + z * P - W];
        if (ty == 8)  plane[9][tx]  = d[i + z * P + W];
        __syncthreads();
        out[i + z * P] = (behind + front + plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx]) / 6.0 - cur;
        __syncthreads();
        behind = cur;
        cur = front;
    }
}
