// A thread goes down 16 rows of a column.
//@ title   Down a column
//@ scratch other float[rows * cols]
//@ launch  stencil<<<dim3((cols + 127) / 128, (rows + 15) / 16),
//@             128>>>(in, other, rows, cols)
//@ launch  stencil<<<dim3((cols + 127) / 128, (rows + 15) / 16),
//@             128>>>(other, out, rows, cols)
//@ launch  stencil<<<dim3((cols + 127) / 128, (rows + 15) / 16),
//@             128>>>(out, other, rows, cols)
//@ launch  stencil<<<dim3((cols + 127) / 128, (rows + 15) / 16),
//@             128>>>(other, out, rows, cols)

// The lab's `weights`.
__constant__ float weight[9] = { 1 / 32.0f, 3 / 32.0f,  1 / 32.0f,
                                 3 / 32.0f, 16 / 32.0f, 3 / 32.0f,
                                 1 / 32.0f, 3 / 32.0f,  1 / 32.0f };

extern "C" __global__ void stencil(const float *__restrict__ in,
                                   float *__restrict__ out, int rows,
                                   int cols)
{
    int col = blockIdx.x * 128 + threadIdx.x;
    int first = blockIdx.y * 16, last = min(first + 16, rows);
    if (col >= cols)
        return;

    float above = 0, here = 0; // sums that are not complete yet
    for (int y = first - 1; y <= last; y++) {
        bool inside = y >= 0 && y < rows;
        const float *from = in + y * cols + col;
        float l = inside && col > 0 ? from[-1] : 0;
        float m = inside ? from[0] : 0;
        float r = inside && col + 1 < cols ? from[1] : 0;
        float done =
            above + weight[6] * l + weight[7] * m + weight[8] * r;
        above = here + weight[3] * l + weight[4] * m + weight[5] * r;
        here = weight[0] * l + weight[1] * m + weight[2] * r;
        if (y > first)
            out[(y - 1) * cols + col] = done;
    }
}
