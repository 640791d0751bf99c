// The four largest of each row with their places, a warp to a row: every
// lane keeps four of its own, then the warp takes the best four times.
//@ param   rows = 6000
//@ param   cols = 1001
//@ buffer  x     float[rows * cols] = hash(i) % 1000003
//@ buffer  value float[rows * 4]
//@ buffer  place int[rows * 4]
//@ launch  topFour<<<(rows + 3) / 4, 128>>>(x, value, place, rows, cols)
__global__ void topFour(const float *x, float *value, int *place,
                        int rows, int cols)
{
    int row = blockIdx.x * 4 + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows)
        return;

    float v[4] = {-1, -1, -1, -1};
    int p[4] = {-1, -1, -1, -1};
    for (int c = lane; c < cols; c += 32) {
        float now = x[(size_t)row * cols + c];
        if (now <= v[3])
            continue;
        v[3] = now;
        p[3] = c;
#pragma unroll
        for (int k = 3; k > 0; k--)
            if (v[k] > v[k - 1]) {
                float tv = v[k];
                int tp = p[k];
                v[k] = v[k - 1];
                p[k] = p[k - 1];
                v[k - 1] = tv;
                p[k - 1] = tp;
            }
    }

    for (int k = 0; k < 4; k++) {
        float best = v[0];
        int owner = lane;
        for (int d = 16; d > 0; d /= 2) {
            float other = __shfl_xor_sync(0xffffffffu, best, d);
            int whose = __shfl_xor_sync(0xffffffffu, owner, d);
            if (other > best || (other == best && whose < owner)) {
                best = other;
                owner = whose;
            }
        }
        if (lane == owner) {
            value[row * 4 + k] = v[0];
            place[row * 4 + k] = p[0];
            v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = -1;
            p[0] = p[1], p[1] = p[2], p[2] = p[3], p[3] = -1;
        }
    }
}
