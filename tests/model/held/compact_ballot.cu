// Keeps the positive numbers: places in a warp by ballot, in a block by
// the sums of its warps, in the array by one atomic addition a block.
//@ param   n = 1 << 22
//@ buffer  in    int[n] = (hash(i) & 1023) - 600
//@ buffer  out   int[n] = 0
//@ buffer  count int[1] = 0
//@ launch  compact<<<n / 256, 256>>>(in, out, count)
extern "C" __global__ void compact(const int *in, int *out, int *count)
{
    __shared__ int first[8], base;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];

    unsigned keep = __ballot_sync(0xffffffffu, value > 0);
    if (lane == 0)
        first[warp] = __popc(keep);
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int w = 0; w < 8; w++) {
            int kept = first[w];
            first[w] = sum;
            sum += kept;
        }
        base = atomicAdd(count, sum);
    }
    __syncthreads();
    if (value > 0)
        out[base + first[warp] + __popc(keep & ((1u << lane) - 1))] =
            value;
}
