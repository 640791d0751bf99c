// Point i is in[3 * i], in[3 * i + 1], in[3 * i + 2]. All x go to the
// start of `out`, all y after them, all z after those.
//@ title   Structures of three floats, taken apart
//@ needs   cols == 3
//@ launch  apart<<<(rows + 255) / 256, 256>>>(in, out, rows)
extern "C" __global__ void apart(const float *__restrict__ in,
                                 float *__restrict__ out, int points)
{
    __shared__ float stage[3 * 256]; // the points of a block
    int i = blockIdx.x * 256 + threadIdx.x;

    // TODO: fill `stage` in memory order, then take the fields from it.
    for (int field = 0; field < 3; field++)
        if (i < points)
            out[field * points + i] = in[3 * i + field];
}
