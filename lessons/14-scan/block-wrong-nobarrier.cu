// Nobody waits for the first place.
//@ title   An atomic for each block
//@ launch  compactWarp<<<(n + 255) / 256, 256>>>(
//@             in, out, count, n, n / 2)
extern "C" __global__ void compactWarp(const int *__restrict__ in,
                                       int *__restrict__ out,
                                       int *__restrict__ count, int n,
                                       int limit)
{
    __shared__ int kept[8], first;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int value = i < n ? in[i] : limit;

    unsigned keepers = __ballot_sync(0xffffffff, value < limit);
    if (lane == 0)
        kept[warp] = __popc(keepers);
    __syncthreads();
    if (threadIdx.x == 0) {
        int all = 0;
        for (int w = 0; w < 8; w++)
            all += kept[w];
        first = atomicAdd(count, all);
    }
    int place = first;
    for (int w = 0; w < warp; w++)
        place += kept[w];
    if (value < limit)
        out[place + __popc(keepers & ((1u << lane) - 1))] = value;
}
