//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch heat_3d<<<dim3(3, 5, 2), dim3(8, 4, 6)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void heat_3d(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    const int NX = 22, NY = 19, NZ = 12;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= NX || y >= NY || z >= NZ)
        return;
    int i = (z * NY + y) * NX + x;
    float *u1 = f + 100000;
    if (x == 0 || y == 0 || z == 0 || x == NX - 1 || y == NY - 1 || z == NZ - 1) {
        u1[i] = f[i];
    } else {
        float lap = f[i - 1] + f[i + 1] + f[i - NX] + f[i + NX] + f[i - NX * NY] + f[i + NX * NY] - 6.0f * f[i];
        u1[i] = f[i] + 0.1f * lap;
    }
}
