// A step of Maxwell's equations on Yee's grid between conducting walls: the magnetic
// field from the curl of the electric one, then the electric field from the curl of the
// magnetic one. A block walks through 24 layers of 32 x 8 cells; neighbours in a layer
// come from shared memory, those in the layer before or after from registers.
//@ param   nx = 160
//@ param   ny = 128
//@ param   nz = 96
//@ buffer  electric float[3 * nx * ny * nz] = hash(i) % 200 * 0.01 - 1
//@ buffer  magnetic float[3 * nx * ny * nz] = 0
//@ launch  magnetic_step<<<dim3(nx / 32, ny / 8, nz / 24), dim3(32, 8)>>>(
//@             electric, magnetic, 0.5, nx, ny, nz)
//@ launch  electric_step<<<dim3(nx / 32, ny / 8, nz / 24), dim3(32, 8)>>>(
//@             electric, magnetic, 0.5, nx, ny, nz)
const int layers = 24;

__global__ void magnetic_step(const float *electric, float *magnetic, float c, int nx,
                              int ny, int nz)
{
    __shared__ float ex[9][33], ey[9][33], ez[9][33];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
    int cells = nx * ny * nz, layer = nx * ny;
    int at = (blockIdx.z * layers * ny + y) * nx + x;
    const float *ex_of = electric, *ey_of = electric + cells,
                *ez_of = electric + 2 * cells;
    bool right = x + 1 < nx, below = y + 1 < ny;

    float ex_here = ex_of[at], ey_here = ey_of[at];
    for (int k = 0; k < layers; k++, at += layer) {
        bool deeper = blockIdx.z * layers + k + 1 < nz;
        float ez_here = ez_of[at];
        float ex_next = deeper ? ex_of[at + layer] : 0;
        float ey_next = deeper ? ey_of[at + layer] : 0;

        ex[ty][tx] = ex_here;
        ey[ty][tx] = ey_here;
        ez[ty][tx] = ez_here;
        if (tx == 31) {
            ey[ty][32] = right ? ey_of[at + 1] : 0;
            ez[ty][32] = right ? ez_of[at + 1] : 0;
        }
        if (ty == 7) {
            ex[8][tx] = below ? ex_of[at + nx] : 0;
            ez[8][tx] = below ? ez_of[at + nx] : 0;
        }
        __syncthreads();

        magnetic[at] -= c * (ez[ty + 1][tx] - ez_here - (ey_next - ey_here));
        magnetic[cells + at] -= c * (ex_next - ex_here - (ez[ty][tx + 1] - ez_here));
        magnetic[2 * cells + at] -=
            c * (ey[ty][tx + 1] - ey_here - (ex[ty + 1][tx] - ex_here));
        __syncthreads();

        ex_here = ex_next;
        ey_here = ey_next;
    }
}

__global__ void electric_step(float *electric, const float *magnetic, float c, int nx,
                              int ny, int nz)
{
    __shared__ float hx[9][33], hy[9][33], hz[9][33];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int cells = nx * ny * nz, layer = nx * ny;
    int z = blockIdx.z * layers;
    int at = (z * ny + y) * nx + x;
    const float *hx_of = magnetic, *hy_of = magnetic + cells,
                *hz_of = magnetic + 2 * cells;

    float hx_last = z > 0 ? hx_of[at - layer] : 0;
    float hy_last = z > 0 ? hy_of[at - layer] : 0;
    for (int k = 0; k < layers; k++, at += layer) {
        float hx_here = hx_of[at], hy_here = hy_of[at], hz_here = hz_of[at];
        hx[ty][tx] = hx_here;
        hy[ty][tx] = hy_here;
        hz[ty][tx] = hz_here;
        if (tx == 1) {
            hy[ty][0] = x > 0 ? hy_of[at - 1] : 0;
            hz[ty][0] = x > 0 ? hz_of[at - 1] : 0;
        }
        if (ty == 1) {
            hx[0][tx] = y > 0 ? hx_of[at - nx] : 0;
            hz[0][tx] = y > 0 ? hz_of[at - nx] : 0;
        }
        __syncthreads();

        electric[at] += c * (hz_here - hz[ty - 1][tx] - (hy_here - hy_last));
        electric[cells + at] += c * (hx_here - hx_last - (hz_here - hz[ty][tx - 1]));
        electric[2 * cells + at] +=
            c * (hy_here - hy[ty][tx - 1] - (hx_here - hx[ty - 1][tx]));
        __syncthreads();

        hx_last = hx_here;
        hy_last = hy_here;
    }
}
