// A Jacobi step of the Poisson equation with the compact stencil of 19
// points, without shared memory; returns the change of each point too.
//@ param   nx = 160
//@ param   ny = 128
//@ param   nz = 72
//@ buffer  p    float[nx * ny * nz] = hash(i) % 1000 * 0.001
//@ buffer  rhs  float[nx * ny * nz] = hash(i + 3) % 10 * 0.1
//@ buffer  next float[nx * ny * nz]
//@ buffer  gain float[nx * ny * nz]
//@ launch  jacobi19<<<dim3((nx + 31) / 32, (ny + 3) / 4, nz / 2),
//@                    dim3(32, 4, 2)>>>(p, rhs, next, gain, nx, ny, nz)
__global__ void jacobi19(const float *__restrict__ p,
                         const float *__restrict__ rhs,
                         float *__restrict__ next,
                         float *__restrict__ gain, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz)
        return;

    int sy = nx, sz = nx * ny;
    int at = z * sz + y * sy + x;
    float centre = p[at];
    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 ||
        z == nz - 1) {
        next[at] = centre;
        gain[at] = 0.0f;
        return;
    }

    float faces = p[at - 1] + p[at + 1] + p[at - sy] + p[at + sy] +
                  p[at - sz] + p[at + sz];
    float edges = p[at - sy - 1] + p[at - sy + 1] + p[at + sy - 1] +
                  p[at + sy + 1] + p[at - sz - 1] + p[at - sz + 1] +
                  p[at + sz - 1] + p[at + sz + 1] + p[at - sz - sy] +
                  p[at - sz + sy] + p[at + sz - sy] + p[at + sz + sy];
    float value = (2.0f * faces + edges - 6.0f * rhs[at]) / 24.0f;
    next[at] = value;
    gain[at] = value - centre;
}
