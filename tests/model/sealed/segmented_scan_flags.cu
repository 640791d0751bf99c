// Running sums that begin anew where a flag is set, within blocks of 256:
// by shuffles in each warp, then over the ends of the warps.
//@ param   n = 2400000
//@ buffer  x    float[n] = 1 + hash(i) % 10
//@ buffer  head unsigned char[n] = hash(i + 1) % 23 == 0
//@ buffer  y    float[n]
//@ launch  segmentedScan<<<n / 256, 256>>>(x, head, y)
__global__ void segmentedScan(const float *x, const unsigned char *head,
                              float *y)
{
    __shared__ float ends[8];
    __shared__ int broken[8];

    int i = blockIdx.x * 256 + threadIdx.x;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float sum = x[i];
    int flag = head[i];
    for (int d = 1; d < 32; d *= 2) {
        float before = __shfl_up_sync(0xffffffffu, sum, d);
        int cut = __shfl_up_sync(0xffffffffu, flag, d);
        if (lane >= d) {
            if (!flag)
                sum += before;
            flag |= cut;
        }
    }
    if (lane == 31) {
        ends[warp] = sum;
        broken[warp] = flag;
    }
    __syncthreads();

    if (!flag) {
        float carry = 0.0f;
        for (int w = warp - 1; w >= 0; w--) {
            carry += ends[w];
            if (broken[w])
                break;
        }
        sum += carry;
    }
    y[i] = sum;
}
