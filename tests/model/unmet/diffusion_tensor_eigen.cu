// Eigenvalues and the main direction of diffusion tensors in a brain scan, symmetric 3 x
// 3 matrices in double precision, by Jacobi rotations until what lies off the diagonal is
// negligible. Writes the fractional anisotropy and the direction of the largest
// eigenvalue.
//@ param   voxels = 420001
//@ buffer  tensor double[6 * voxels] = (i < 3 * voxels ?
//@             0.5 + hash(i) % 1000 * 0.002 : hash(i) % 1000 * 0.0004 - 0.2)
//@ buffer  anisotropy float[voxels]
//@ buffer  direction float3[voxels]
//@ launch  eigen<<<(voxels + 63) / 64, 64>>>(tensor, anisotropy, direction, voxels)
template <int p, int q>
__device__ void rotate(double (&a)[3][3], double (&v)[3][3])
{
    if (a[p][q] == 0)
        return;
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = rsqrt(t * t + 1), s = t * c;
    const int r = 3 - p - q;

    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0;
    double rp = a[r][p], rq = a[r][q];
    a[r][p] = a[p][r] = c * rp - s * rq;
    a[r][q] = a[q][r] = s * rp + c * rq;
#pragma unroll
    for (int k = 0; k < 3; k++) {
        double vp = v[k][p], vq = v[k][q];
        v[k][p] = c * vp - s * vq;
        v[k][q] = s * vp + c * vq;
    }
}

__global__ void eigen(const double *tensor, float *anisotropy, float3 *direction,
                      int voxels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= voxels)
        return;

    double a[3][3], v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++)
        a[k][k] = tensor[k * voxels + i];
    a[0][1] = a[1][0] = tensor[3 * voxels + i];
    a[0][2] = a[2][0] = tensor[4 * voxels + i];
    a[1][2] = a[2][1] = tensor[5 * voxels + i];

    for (int sweep = 0; sweep < 8; sweep++) {
        double off = a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2];
        double on = a[0][0] * a[0][0] + a[1][1] * a[1][1] + a[2][2] * a[2][2];
        if (off <= 1e-24 * on)
            break;
        rotate<0, 1>(a, v);
        rotate<0, 2>(a, v);
        rotate<1, 2>(a, v);
    }

    double x = a[0][0], y = a[1][1], z = a[2][2];
    double apart = (x - y) * (x - y) + (y - z) * (y - z) + (z - x) * (z - x);
    anisotropy[i] = sqrt(0.5 * apart / (x * x + y * y + z * z));
    if (x >= y && x >= z)
        direction[i] = make_float3(v[0][0], v[1][0], v[2][0]);
    else if (y >= z)
        direction[i] = make_float3(v[0][1], v[1][1], v[2][1]);
    else
        direction[i] = make_float3(v[0][2], v[1][2], v[2][2]);
}
