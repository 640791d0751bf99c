// A warp computes four rows of 128 columns, and loads six: all at once,
// 16 bytes a lane. Each row that arrives is added to three sums: of the
// row above, which is then done, of the row itself, and of the row
// below. Left and right neighbours come from other lanes.
//@ title   Rows in registers
//@ why     Wide loads, all in flight at once, and neither shared memory
//@ why     nor a barrier.
//@ needs   cols % 4 == 0
//@ scratch other float[rows * cols]
//@ launch  stencilRows<<<dim3((cols + 1023) / 1024, (rows + 3) / 4),
//@             256>>>(in, other, rows, cols)
//@ launch  stencilRows<<<dim3((cols + 1023) / 1024, (rows + 3) / 4),
//@             256>>>(other, out, rows, cols)
//@ launch  stencilRows<<<dim3((cols + 1023) / 1024, (rows + 3) / 4),
//@             256>>>(out, other, rows, cols)
//@ launch  stencilRows<<<dim3((cols + 1023) / 1024, (rows + 3) / 4),
//@             256>>>(other, out, rows, cols)
//@ owner   out <<<dim3(i % cols / 1024, i / cols / 4),
//@                i % cols % 1024 / 4>>>

// The lab's `weights`.
__constant__ float weight[9] = { 1 / 32.0f, 3 / 32.0f,  1 / 32.0f,
                                 3 / 32.0f, 16 / 32.0f, 3 / 32.0f,
                                 1 / 32.0f, 3 / 32.0f,  1 / 32.0f };

#define HIGH 4

extern "C" __global__ void __launch_bounds__(256)
    stencilRows(const float *__restrict__ in, float *__restrict__ out,
                int rows, int cols)
{
    int lane = threadIdx.x % 32;
    int col = (blockIdx.x * 256 + threadIdx.x) * 4;
    int first = blockIdx.y * HIGH;
    bool onPlate = col < cols;
    // The lanes at both ends lack the neighbour that they need.
    int beside = lane == 0 ? -1 : 4;
    bool needs = onPlate && (lane == 0    ? col > 0
                             : lane == 31 ? col + 4 < cols
                                          : false);

    float4 cells[HIGH + 2];
    float end[HIGH + 2];
#pragma unroll
    for (int r = 0; r < HIGH + 2; r++) {
        int row = first + r - 1;
        bool inside = row >= 0 && row < rows;
        const float *from = in + row * cols + col;
        cells[r] = inside && onPlate ? *(const float4 *)from
                                     : make_float4(0, 0, 0, 0);
        end[r] = inside && needs ? from[beside] : 0;
    }

    float above[4] = { 0 }, here[4] = { 0 };
#pragma unroll
    for (int r = 0; r < HIGH + 2; r++) {
        float left = __shfl_up_sync(0xffffffff, cells[r].w, 1);
        float right = __shfl_down_sync(0xffffffff, cells[r].x, 1);
        float x[6] = { lane == 0 ? end[r] : left,
                       cells[r].x,
                       cells[r].y,
                       cells[r].z,
                       cells[r].w,
                       lane == 31 ? end[r] : right };
        float done[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            done[j] = above[j] + weight[6] * x[j] +
                      weight[7] * x[j + 1] + weight[8] * x[j + 2];
            above[j] = here[j] + weight[3] * x[j] +
                       weight[4] * x[j + 1] + weight[5] * x[j + 2];
            here[j] = weight[0] * x[j] + weight[1] * x[j + 1] +
                      weight[2] * x[j + 2];
        }
        int row = first + r - 2;
        if (r >= 2 && row < rows && onPlate)
            *(float4 *)(out + row * cols + col) =
                make_float4(done[0], done[1], done[2], done[3]);
    }
}
