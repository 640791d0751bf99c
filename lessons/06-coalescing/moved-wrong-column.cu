// The factor is at the column: lanes are four floats apart again.
//@ title   From structures to arrays
//@ needs   n % 32 == 0
//@ launch  moved<<<(n / 32 + 255) / 256, 256>>>(x, out, n / 32)
struct fields {
    const float *x, *y, *z, *w;
};

extern "C" __global__ void moved(const float *__restrict__ rows,
                                 float *__restrict__ out,
                                 int count)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= count)
        return;

    struct fields points = { rows, rows + count, rows + 2 * count,
                             rows + 3 * count };
    float sum = 0;
    for (int group = 0; group < 8; group++) {
        int p = group * count + 4 * j;
        sum += points.x[p] + points.y[p] + points.z[p] + points.w[p];
    }
    out[j] = sum;
}
