// The Laplacian of a cube of doubles, in blocks of 8 x 8 x 8.
//@ param   m = 160
//@ buffer  in  double[m * m * m] = i % 100
//@ buffer  out double[m * m * m] = 0
//@ launch  laplace<<<dim3(m / 8, m / 8, m / 8), dim3(8, 8, 8)>>>(
//@             in, out, m)
extern "C" __global__ void laplace(const double *in, double *out, int m)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x > 0 && x < m - 1 && y > 0 && y < m - 1 && z > 0 &&
        z < m - 1) {
        int at = (z * m + y) * m + x;
        out[at] = in[at - 1] + in[at + 1] + in[at - m] + in[at + m] +
                  in[at - m * m] + in[at + m * m] - 6 * in[at];
    }
}
