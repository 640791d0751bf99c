// The running sum of each row of a matrix. A block goes along its row, 1024 elements at a time, and carries the sum on.
//@ param   rows = 2048
//@ param   cols = 4096
//@ buffer  in  int[rows * cols] = hash(i) % 100
//@ buffer  out int[rows * cols]
//@ launch  cumsum<<<rows, 256>>>(in, out, cols)
__global__ void cumsum(const int *in, int *out, int cols)
{
    __shared__ int warpSum[8];
    __shared__ int carry;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int4 *from = (const int4 *)(in + blockIdx.x * cols);
    int4 *to = (int4 *)(out + blockIdx.x * cols);

    if (threadIdx.x == 0)
        carry = 0;
    for (int c = threadIdx.x; c < cols / 4; c += 256) {
        int4 v = from[c];
        v.y += v.x;
        v.z += v.y;
        v.w += v.z;
        int sum = v.w;
        for (int d = 1; d < 32; d *= 2) {
            int left = __shfl_up_sync(~0u, sum, d);
            if (lane >= d)
                sum += left;
        }
        if (lane == 31)
            warpSum[warp] = sum;
        __syncthreads();
        int before = carry + sum - v.w;
        for (int k = 0; k < warp; k++)
            before += warpSum[k];
        v.x += before;
        v.y += before;
        v.z += before;
        v.w += before;
        to[c] = v;
        __syncthreads();
        if (threadIdx.x == 255)
            carry = v.w;
    }
}
