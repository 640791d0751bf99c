// Each field in an array of its own: the rows of x are those arrays,
// and four pointers lead to them. All .x lie side by side again, so
// each load of a warp is four full sectors.
//@ title   Structure of arrays
//@ why     One array for each field: lanes that read the same field
//@ why     read neighbouring words.
//@ launch  coalescing_structure_of_arrays<<<(n / 32 + 255) / 256,
//@                                          256>>>(x, out, n / 32)
//@ owner   out <<<i / 256, i % 256>>>
struct points {
    const float *x, *y, *z, *w;
};

extern "C" __global__ void
coalescing_structure_of_arrays(const float *__restrict__ rows,
                               float *__restrict__ out, int columns)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= columns)
        return;

    struct points points = { rows, rows + columns, rows + 2 * columns,
                             rows + 3 * columns };
    float sum = 0;
    for (int group = 0; group < 8; group++) {
        int p = group * 4 * columns + j;
        sum += points.x[p] + points.y[p] + points.z[p] + points.w[p];
    }
    out[j] = sum;
}
