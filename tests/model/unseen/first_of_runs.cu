// Keeps the first of each run of equal numbers, in any order of blocks: one atomic a block.
//@ param   n = 1 << 21
//@ buffer  in   int[n] = i / 3
//@ buffer  out  int[n]
//@ buffer  kept int[1] = 0
//@ launch  keep<<<n / 512, 512>>>(in, out, kept)
extern "C" __global__ void keep(const int *in, int *out, int *kept)
{
    __shared__ int counts[16], base;
    int i = blockIdx.x * 512 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    bool first = i == 0 || in[i] != in[i - 1];
    unsigned votes = __ballot_sync(~0u, first);
    if (lane == 0)
        counts[warp] = __popc(votes);
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int w = 0; w < 16; w++) {
            int here = counts[w];
            counts[w] = sum;
            sum += here;
        }
        base = atomicAdd(kept, sum);
    }
    __syncthreads();
    if (first)
        out[base + counts[warp] + __popc(votes & ((1u << lane) - 1))] = in[i];
}
