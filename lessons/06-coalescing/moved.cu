// 8 groups of points: in each, first all x, then all y, z and w.
//@ title   From structures to arrays
//@ needs   n % 32 == 0
//@ launch  moved<<<(n / 32 + 255) / 256, 256>>>(x, out, n / 32)
struct points {
    const float *x, *y, *z, *w;
};

extern "C" __global__ void moved(const float *__restrict__ rows,
                                 float *__restrict__ out, int columns)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= columns)
        return;

    struct points points = { rows, rows + columns, rows + 2 * columns,
                             rows + 3 * columns };
    float sum = 0;
    for (int group = 0; group < 8; group++) {
        int p = group * columns + j;
        sum += points.x[p] + points.y[p] + points.z[p] + points.w[p];
    }
    out[j] = sum;
}
