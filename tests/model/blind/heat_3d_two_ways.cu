// Two steps of smoothing in a box: one with all 27 neighbours read from
// global memory, one with the 6 nearest by a tile in shared memory.
//@ param   nx = 192
//@ param   ny = 160
//@ param   nz = 152
//@ buffer  a float[nx * ny * nz] = hash(i) % 1000 * 0.1
//@ buffer  b float[nx * ny * nz] = 0
//@ buffer  c float[nx * ny * nz] = 0
//@ launch  smooth27<<<dim3(nx / 32, ny / 4, nz / 2), dim3(32, 4, 2)>>>(
//@             a, b, nx, ny, nz)
//@ launch  smooth7<<<dim3(nx / 16, ny / 8, nz / 4), dim3(16, 8, 4)>>>(
//@             b, c, nx, ny, nz)
__global__ void smooth27(const float *in, float *out, int nx, int ny,
                         int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 ||
        z >= nz - 1)
        return;

    float sum = 0.0f;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int far = abs(dx) + abs(dy) + abs(dz);
                float w = far == 0 ? 0.3f : far == 1 ? 0.06f
                        : far == 2 ? 0.02f : 0.0125f;
                sum += w * in[((z + dz) * ny + y + dy) * nx + x + dx];
            }
    out[(z * ny + y) * nx + x] = sum;
}

const int BX = 16, BY = 8, BZ = 4;

__global__ void smooth7(const float *in, float *out, int nx, int ny,
                        int nz)
{
    __shared__ float s[BZ + 2][BY + 2][BX + 2];

    // The whole tile with its rim, by all threads together
    int x0 = blockIdx.x * BX - 1;
    int y0 = blockIdx.y * BY - 1;
    int z0 = blockIdx.z * BZ - 1;
    int t = (threadIdx.z * BY + threadIdx.y) * BX + threadIdx.x;
    const int cells = (BX + 2) * (BY + 2) * (BZ + 2);
    for (int k = t; k < cells; k += BX * BY * BZ) {
        int lx = k % (BX + 2);
        int ly = k / (BX + 2) % (BY + 2);
        int lz = k / ((BX + 2) * (BY + 2));
        int gx = min(max(x0 + lx, 0), nx - 1);
        int gy = min(max(y0 + ly, 0), ny - 1);
        int gz = min(max(z0 + lz, 0), nz - 1);
        s[lz][ly][lx] = in[(gz * ny + gy) * nx + gx];
    }
    __syncthreads();

    int x = threadIdx.x + 1, y = threadIdx.y + 1, z = threadIdx.z + 1;
    float mid = s[z][y][x];
    float sum = s[z][y][x - 1] + s[z][y][x + 1] + s[z][y - 1][x] +
                s[z][y + 1][x] + s[z - 1][y][x] + s[z + 1][y][x];
    int g = ((z0 + z) * ny + y0 + y) * nx + x0 + x;
    out[g] = mid + 0.1f * (sum - 6.0f * mid);
}
