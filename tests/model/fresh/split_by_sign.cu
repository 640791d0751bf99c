// Splits an array: what is negative goes to the left end of the output, the rest to the right end, in any order.
// A block reserves its places with two atomics.
//@ param   n = 1 << 23
//@ buffer  in   int[n] = hash(i) % 2000 - 700
//@ buffer  out  int[n]
//@ buffer  used int[2] = 0
//@ launch  split<<<n / 256, 256>>>(in, out, used, n)
__global__ void split(const int *in, int *out, int *used, int n)
{
    __shared__ int inWarp[8];
    __shared__ int left, right;
    int i = blockIdx.x * 256 + threadIdx.x;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

    int v = in[i];
    bool low = v < 0;
    unsigned votes = __ballot_sync(0xffffffffu, low);
    if (lane == 0)
        inWarp[warp] = __popc(votes);
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int k = 0; k < 8; k++) {
            int c = inWarp[k];
            inWarp[k] = sum;
            sum += c;
        }
        left = atomicAdd(&used[0], sum);
        right = atomicAdd(&used[1], 256 - sum);
    }
    __syncthreads();
    int lowBefore = inWarp[warp] + __popc(votes & ((1u << lane) - 1));
    if (low)
        out[left + lowBefore] = v;
    else
        out[n - 1 - (right + (int)threadIdx.x - lowBefore)] = v;
}
