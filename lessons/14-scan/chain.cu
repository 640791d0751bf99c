// Each block waits for the sum of the one before it.
//@ title   One after another
//@ scratch sums int[(n + 255) / 256]
//@ scratch known int[(n + 255) / 256]
//@ scratch ticket int[1]
//@ launch  clear<<<(n + 255) / 256, 1>>>(known, ticket)
//@ launch  chain<<<(n + 255) / 256, 256>>>(
//@             in, out, sums, known, ticket, n)
extern "C" __global__ void clear(int *known, int *ticket)
{
    known[blockIdx.x] = 0;
    *ticket = 0;
}

extern "C" __global__ void chain(const int *__restrict__ in,
                                 int *__restrict__ out, int *sums,
                                 int *known, int *ticket, int n)
{
    __shared__ int warpSum[8], part, before;
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    if (tid == 0)
        part = atomicAdd(ticket, 1);
    __syncthreads();
    int i = part * 256 + tid;

    int sum = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(0xffffffff, sum, d);
        sum += lane >= d ? left : 0;
    }
    if (lane == 31)
        warpSum[warp] = sum;
    __syncthreads();
    for (int w = 0; w < warp; w++)
        sum += warpSum[w];

    // The last thread knows the sum of the block. It waits for the sum
    // of all before it, and hands on the sum of all so far.
    if (tid == 255) {
        before = 0;
        if (part > 0) {
            while (atomicAdd(&known[part - 1], 0) == 0)
                ;
            before = sums[part - 1];
        }
        sums[part] = before + sum;
        atomicExch(&known[part], 1);
    }
    __syncthreads();
    if (i < n)
        out[i] = before + sum;
}
