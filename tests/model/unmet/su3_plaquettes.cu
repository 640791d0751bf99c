// The mean plaquette of a gauge field on a lattice in four dimensions: for each site and
// pair of directions, the trace of the product of four unitary 3 x 3 matrices around a
// square. Numbers of the matrices are stored by direction and component, so that
// neighbouring sites lie side by side.
//@ param   sites = 16 * 16 * 16 * 20
//@ buffer  links float[72 * sites] = hash(i) % 2000 * 0.001 - 1
//@ buffer  plaquette float[sites]
//@ launch  plaquettes<<<sites / 128, 128>>>(links, plaquette, sites)
struct matrix {
    float re[3][3], im[3][3];
};

__device__ matrix link(const float *links, int direction, int site, int sites)
{
    matrix u;
    const float *from = links + (size_t)direction * 18 * sites + site;
#pragma unroll
    for (int k = 0; k < 9; k++) {
        u.re[k / 3][k % 3] = from[(size_t)2 * k * sites];
        u.im[k / 3][k % 3] = from[(size_t)(2 * k + 1) * sites];
    }
    return u;
}

__device__ matrix product(const matrix &a, const matrix &b)
{
    matrix c;
#pragma unroll
    for (int row = 0; row < 3; row++)
#pragma unroll
        for (int column = 0; column < 3; column++) {
            float re = 0, im = 0;
#pragma unroll
            for (int k = 0; k < 3; k++) {
                re += a.re[row][k] * b.re[k][column] - a.im[row][k] * b.im[k][column];
                im += a.re[row][k] * b.im[k][column] + a.im[row][k] * b.re[k][column];
            }
            c.re[row][column] = re;
            c.im[row][column] = im;
        }
    return c;
}

// The site after this one; the lattice, 16 x 16 x 16 x 20 sites, closes in all ways.
__device__ int after(int site, int direction)
{
    int shift = 4 * direction;
    int extent = direction == 3 ? 20 : 16;
    int place = direction == 3 ? site >> 12 : site >> shift & 15;
    return place + 1 < extent ? site + (1 << shift) : site - (extent - 1 << shift);
}

__global__ void plaquettes(const float *links, float *plaquette, int sites)
{
    int site = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int mu = 0; mu < 3; mu++) {
        matrix first = link(links, mu, site, sites);
        for (int nu = mu + 1; nu < 4; nu++) {
            matrix there = product(first, link(links, nu, after(site, mu), sites));
            matrix back = product(link(links, nu, site, sites),
                                  link(links, mu, after(site, nu), sites));
            // The real trace of `there` times the adjoint of `back`.
#pragma unroll
            for (int k = 0; k < 9; k++)
                sum += there.re[k / 3][k % 3] * back.re[k / 3][k % 3]
                    + there.im[k / 3][k % 3] * back.im[k / 3][k % 3];
        }
    }
    plaquette[site] = sum / 18;
}
