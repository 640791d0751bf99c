// Gives each point of a box its distance from the corner, walked along
// the edges: x + y + z. Memory holds the box row by row, plane by
// plane.
//@ title   A box
//@ param   nx = 30
//@ param   ny = 17
//@ param   nz = 6
//@ buffer  box int[nx * ny * nz]
//@ launch  walk<<<dim3((nx + 7) / 8, (ny + 7) / 8, (nz + 3) / 4),
//@                dim3(8, 8, 4)>>>(box, nx, ny, nz)
//@ launch  check<<<nz, 1>>>(box, nx, ny)
extern "C" __global__ void walk(int *box, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) {
        int i = (z * ny + y) * nx + x;
        box[i] = x + y + z;
    }
}

// Stops at the first wrong point. Leave it as it is.
extern "C" __global__ void check(const int *box, int nx, int ny)
{
    int z = blockIdx.x, i = z * nx * ny;
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++, i++) {
            if (box[i] != x + y + z)
                printf("(%d, %d, %d) is %d\n", x, y, z, box[i]);
            assert(box[i] == x + y + z);
        }
}
