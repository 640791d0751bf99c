// A block takes places once for its 2048 numbers, eight for each
// thread. Its warps find their parts of them by a scan of their counts.
//@ title   An atomic for each block
//@ why     A 64th of the atomics on that one word, and eight loads in
//@ why     flight for each thread.
//@ launch  compactBlock<<<(n + 2047) / 2048, 256>>>(
//@             in, out, count, n, n / 2)
extern "C" __global__ void compactBlock(const int *__restrict__ in,
                                        int *__restrict__ out,
                                        int *__restrict__ count, int n,
                                        int limit)
{
    __shared__ int kept[8], first;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int idx = blockIdx.x * 2048 + warp * 256 + lane;

    int value[8];
#pragma unroll
    for (int r = 0; r < 8; r++)
        value[r] = idx + 32 * r < n ? in[idx + 32 * r] : limit;
    unsigned keepers[8];
    int mine = 0;
#pragma unroll
    for (int r = 0; r < 8; r++) {
        keepers[r] = __ballot_sync(0xffffffff, value[r] < limit);
        mine += __popc(keepers[r]);
    }
    if (lane == 0)
        kept[warp] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        int all = 0;
        for (int w = 0; w < 8; w++)
            all += kept[w];
        first = atomicAdd(count, all);
    }
    __syncthreads();

    int place = first;
    for (int w = 0; w < 8; w++)
        place += w < warp ? kept[w] : 0;
    unsigned before = (1u << lane) - 1;
#pragma unroll
    for (int r = 0; r < 8; r++) {
        if (value[r] < limit)
            out[place + __popc(keepers[r] & before)] = value[r];
        place += __popc(keepers[r]);
    }
}
