// Dynamic time warping of a pattern of 256 values against many series of
// 128: a warp walks the diagonals, a lane has eight columns of the table,
// and the column to its left comes by a shuffle. The cost is |a - b|.
//@ param   series = 480
//@ param   length = 128
//@ buffer  pattern float[256] = hash(i / 6) % 64
//@ buffer  x       float[series * length] = hash(i / 5) % 64
//@ buffer  cost    float[series]
//@ launch  warpTime<<<(series + 3) / 4, 128>>>(pattern, x, cost, series,
//@                                             length)
#define EACH 8
#define FAR 1e30f

__global__ void warpTime(const float *pattern, const float *x, float *cost,
                         int series, int length)
{
    int one = blockIdx.x * 4 + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (one >= series)
        return;

    float p[EACH], above[EACH];
    for (int k = 0; k < EACH; k++) {
        p[k] = pattern[lane * EACH + k];
        above[k] = FAR;
    }
    x += (size_t)one * length;

    float corner = lane == 0 ? 0.0f : FAR;
    float mine = 0.0f;
    for (int step = 0; step < length + 31; step++) {
        float left = __shfl_up_sync(~0u, above[EACH - 1], 1);
        if (lane == 0)
            left = FAR;
        float next = lane == 0 ? (step < length ? x[step] : 0.0f) : 0.0f;
        mine = __shfl_up_sync(~0u, mine, 1);
        if (lane == 0)
            mine = next;
        int row = step - lane;
        if (row >= 0 && row < length) {
            float diagonal = corner;
            corner = left;
#pragma unroll
            for (int k = 0; k < EACH; k++) {
                float best = fminf(fminf(above[k], left), diagonal);
                diagonal = above[k];
                left = best + fabsf(mine - p[k]);
                above[k] = left;
            }
        }
        if (row < 0 && lane != 0)
            corner = FAR;
        if (lane == 0)
            corner = FAR;
    }
    if (lane == 31)
        cost[one] = above[EACH - 1];
}
