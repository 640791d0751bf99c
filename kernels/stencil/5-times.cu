// The sums of step 4, of four time steps: what comes out of one goes
// into the next, a row later. One launch does it all. The lanes at both
// ends only help: each time step takes a column from them that has not
// all of its neighbours, and they have four.
//@ title   Four time steps at once
//@ why     Memory is read and written once for four time steps. 8 rows
//@ why     in 72, and 2 lanes in 32, are computed twice for it.
//@ needs   cols % 4 == 0
//@ launch  stencilTimes<<<dim3((cols + 959) / 960, (rows + 63) / 64),
//@             256>>>(in, out, rows, cols)
//@ owner   out <<<dim3(i % cols / 960, i / cols / 64),
//@                i % cols % 960 / 120 * 32 + i % cols % 120 / 4 + 1>>>

// The lab's `weights`.
__constant__ float weight[9] = { 1 / 32.0f, 3 / 32.0f,  1 / 32.0f,
                                 3 / 32.0f, 16 / 32.0f, 3 / 32.0f,
                                 1 / 32.0f, 3 / 32.0f,  1 / 32.0f };

// A warp goes down 64 rows, which it loads two at a time.
#define HIGH 64
#define AHEAD 2
#define TIMES 4

extern "C" __global__ void __launch_bounds__(256)
    stencilTimes(const float *__restrict__ in, float *__restrict__ out,
                 int rows, int cols)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int col = (blockIdx.x * 8 + warp) * 120 + (lane - 1) * 4;
    int first = blockIdx.y * HIGH;
    int last = min(first + HIGH, rows); // the row after the last one
    bool onPlate = col >= 0 && col < cols;
    bool mine = onPlate && lane > 0 && lane < 31;

    float above[TIMES][4] = { { 0 } }, here[TIMES][4] = { { 0 } };
    for (int y = first - TIMES; y < last + TIMES; y += AHEAD) {
        float4 cells[AHEAD];
#pragma unroll
        for (int r = 0; r < AHEAD; r++) {
            int row = y + r;
            bool inside = row >= 0 && row < rows && row < last + TIMES;
            cells[r] = inside && onPlate
                           ? *(const float4 *)(in + row * cols + col)
                           : make_float4(0, 0, 0, 0);
        }
#pragma unroll
        for (int r = 0; r < AHEAD; r++) {
            float4 now = cells[r];
#pragma unroll
            for (int time = 0; time < TIMES; time++) {
                float left = __shfl_up_sync(0xffffffff, now.w, 1);
                float right = __shfl_down_sync(0xffffffff, now.x, 1);
                float x[6] = {
                    left, now.x, now.y, now.z, now.w, right
                };
                float done[4];
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    done[j] = above[time][j] + weight[6] * x[j] +
                              weight[7] * x[j + 1] +
                              weight[8] * x[j + 2];
                    above[time][j] = here[time][j] + weight[3] * x[j] +
                                     weight[4] * x[j + 1] +
                                     weight[5] * x[j + 2];
                    here[time][j] = weight[0] * x[j] +
                                    weight[1] * x[j + 1] +
                                    weight[2] * x[j + 2];
                }
                // Outside of the plate it stays 0 at all times.
                int row = y + r - time - 1;
                bool is = onPlate && row >= 0 && row < rows;
                now.x = is ? done[0] : 0;
                now.y = is ? done[1] : 0;
                now.z = is ? done[2] : 0;
                now.w = is ? done[3] : 0;
            }
            int row = y + r - TIMES;
            if (row >= first && row < last && mine)
                *(float4 *)(out + row * cols + col) = now;
        }
    }
}
