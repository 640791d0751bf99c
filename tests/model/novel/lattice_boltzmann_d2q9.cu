// A step of the lattice Boltzmann method in two dimensions with nine
// directions: pull from the neighbours, collide (BGK), bounce off walls.
//@ param   nx = 896
//@ param   ny = 600
//@ buffer  from  float[9 * nx * ny] = 0.1 + hash(i) % 100 * 0.0001
//@ buffer  to    float[9 * nx * ny]
//@ buffer  solid unsigned char[nx * ny] = (i % nx / 40 % 8 == 3 &&
//@                                         i / nx / 40 % 4 == 1)
//@ launch  collideAndStream<<<dim3(nx / 128, ny), 128>>>(from, to, solid,
//@                                                 nx, ny, 1.2f)
__constant__ int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
__constant__ float weight[9] = {4.f / 9,  1.f / 9,  1.f / 9,
                                1.f / 9,  1.f / 9,  1.f / 36,
                                1.f / 36, 1.f / 36, 1.f / 36};

__global__ void collideAndStream(const float *__restrict__ from,
                                 float *__restrict__ to,
                                 const unsigned char *__restrict__ solid,
                                 int nx, int ny, float omega)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    int cells = nx * ny;
    int here = y * nx + x;

    float f[9];
#pragma unroll
    for (int k = 0; k < 9; k++) {
        int sx = x - ex[k], sy = y - ey[k];
        sx = sx < 0 ? nx - 1 : sx >= nx ? 0 : sx;
        sy = sy < 0 ? ny - 1 : sy >= ny ? 0 : sy;
        f[k] = from[k * cells + sy * nx + sx];
    }

    if (solid[here]) {
#pragma unroll
        for (int k = 0; k < 9; k++)
            to[opposite[k] * cells + here] = f[k];
        return;
    }

    float rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int k = 0; k < 9; k++) {
        rho += f[k];
        ux += ex[k] * f[k];
        uy += ey[k] * f[k];
    }
    ux /= rho;
    uy /= rho;
    float square = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int k = 0; k < 9; k++) {
        float eu = 3.0f * (ex[k] * ux + ey[k] * uy);
        float equal = weight[k] * rho * (1.0f + eu + 0.5f * eu * eu - square);
        to[k * cells + here] = f[k] + omega * (equal - f[k]);
    }
}
