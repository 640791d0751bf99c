// The lanes of a warp count themselves with a ballot. One of them takes
// places for all.
//@ title   An atomic for each warp
//@ why     A ballot tells every lane which ones keep a number, so its
//@ why     place in the warp is a count of bits.
//@ launch  compactWarp<<<(n + 255) / 256, 256>>>(
//@             in, out, count, n, n / 2)
extern "C" __global__ void compactWarp(const int *__restrict__ in,
                                       int *__restrict__ out,
                                       int *__restrict__ count, int n,
                                       int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int value = i < n ? in[i] : limit;

    unsigned keepers = __ballot_sync(0xffffffff, value < limit);
    int first = 0;
    if (lane == 0)
        first = atomicAdd(count, __popc(keepers));
    first = __shfl_sync(0xffffffff, first, 0);
    if (value < limit)
        out[first + __popc(keepers & ((1u << lane) - 1))] = value;
}
