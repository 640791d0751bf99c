// A step of heat flow in three dimensions: a thread climbs a column and
// keeps the cells below, at and above it in registers.
//@ param   nx = 256
//@ param   ny = 256
//@ param   nz = 96
//@ buffer  in  float[nx * ny * nz] = i % 100
//@ buffer  out float[nx * ny * nz] = 0
//@ launch  heat<<<dim3(nx / 32, ny / 4), dim3(32, 4)>>>(
//@             in, out, nx, ny, nz, 0.1)
extern "C" __global__ void heat(const float *__restrict__ in,
                                float *__restrict__ out, int nx, int ny,
                                int nz, float k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1)
        return;
    int plane = nx * ny;
    int at = y * nx + x;
    float below = in[at], here = in[at + plane];
    for (int z = 1; z < nz - 1; z++) {
        at += plane;
        float above = in[at + plane];
        float around = in[at - 1] + in[at + 1] + in[at - nx] +
                       in[at + nx] + below + above;
        out[at] = here + k * (around - 6 * here);
        below = here;
        here = above;
    }
}
