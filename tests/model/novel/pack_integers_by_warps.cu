// Compresses blocks of 128 integers as data bases do: a warp subtracts the
// least, finds the bits that the largest needs, and writes so many words
// for each 32 of them, turned by votes. Places come from a counter.
//@ param   groups = 14000
//@ buffer  x      int[groups * 128] = (i / 128 * 1000 +
//@                        hash(i) % (2 << hash(i / 128) % 12))
//@ buffer  packed unsigned[groups * 128] = 0
//@ buffer  head   int4[groups]
//@ buffer  used   unsigned[1] = 0
//@ launch  pack<<<(groups + 7) / 8, 256>>>(x, packed, head, used, groups)
__global__ void pack(const int4 *x, unsigned *packed, int4 *head,
                     unsigned *used, int groups)
{
    const unsigned all = 0xffffffffu;
    int group = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (group >= groups)
        return;

    int4 v = x[group * 32 + lane];
    int least = __reduce_min_sync(all, min(min(v.x, v.y), min(v.z, v.w)));
    unsigned d[4] = {(unsigned)(v.x - least), (unsigned)(v.y - least),
                     (unsigned)(v.z - least), (unsigned)(v.w - least)};
    unsigned any = __reduce_or_sync(all, d[0] | d[1] | d[2] | d[3]);
    int bits = 32 - __clz(any);

    unsigned at = 0;
    if (lane == 0) {
        at = atomicAdd(used, 4 * bits);
        head[group] = make_int4(least, bits, at, 0);
    }
    at = __shfl_sync(all, at, 0);

    for (int k = 0; k < 4; k++) {
        unsigned mine = 0;
        for (int b = 0; b < bits; b++) {
            unsigned word = __ballot_sync(all, d[k] >> b & 1);
            if (lane == b)
                mine = word;
        }
        if (lane < bits)
            packed[at + k * bits + lane] = mine;
    }
}
