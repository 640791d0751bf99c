// Expands a column of a table that is stored as runs, values with lengths. The first
// kernel adds up the lengths of each 512 runs, the second finds where their output
// begins, and in the third a block sums the lengths in order and then writes its values,
// each found by bisection in shared memory.
//@ param   runs = 400 * 512
//@ param   room = 5000000
//@ buffer  value short[runs] = hash(i) % 30000
//@ buffer  length unsigned char[runs] = (
//@             1 + hash(i + 1) % 32 + (hash(i) % 64 == 0 ? 200 : 0))
//@ buffer  start int[runs / 512 + 1]
//@ buffer  column short[room] = 0
//@ launch  add_lengths<<<runs / 512, 512>>>(length, start)
//@ launch  start_of_blocks<<<1, 512>>>(start, runs / 512)
//@ launch  expand<<<runs / 512, 512>>>(value, length, start, column, room)
const int threads = 512;

// The sum over this thread and all threads before it.
__device__ int sum_up_to_here(int mine)
{
    __shared__ int of_warp[threads / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int step = 1; step < 32; step *= 2) {
        int before = __shfl_up_sync(~0u, mine, step);
        if (lane >= step)
            mine += before;
    }
    if (lane == 31)
        of_warp[warp] = mine;
    __syncthreads();
    if (warp == 0) {
        int sum = lane < threads / 32 ? of_warp[lane] : 0;
        for (int step = 1; step < threads / 32; step *= 2) {
            int before = __shfl_up_sync(~0u, sum, step);
            if (lane >= step)
                sum += before;
        }
        if (lane < threads / 32)
            of_warp[lane] = sum;
    }
    __syncthreads();
    return warp > 0 ? mine + of_warp[warp - 1] : mine;
}

__global__ void add_lengths(const unsigned char *length, int *start)
{
    int sum = sum_up_to_here(length[blockIdx.x * threads + threadIdx.x]);
    if (threadIdx.x == threads - 1)
        start[blockIdx.x] = sum;
}

__global__ void start_of_blocks(int *start, int blocks)
{
    int at = threadIdx.x;
    int mine = at < blocks ? start[at] : 0;
    int sum = sum_up_to_here(mine);
    if (at <= blocks)
        start[at] = sum - mine;
}

__global__ void expand(const short *value, const unsigned char *length, const int *start,
                       short *column, int room)
{
    __shared__ int end[threads];
    __shared__ short values[threads];

    int run = blockIdx.x * threads + threadIdx.x;
    values[threadIdx.x] = value[run];
    end[threadIdx.x] = sum_up_to_here(length[run]);
    __syncthreads();

    int first = start[blockIdx.x];
    int count = min(end[threads - 1], room - first);
    for (int k = threadIdx.x; k < count; k += threads) {
        int low = 0;
        for (int half = threads / 2; half > 0; half /= 2)
            if (end[low + half - 1] <= k)
                low += half;
        column[first + k] = values[low];
    }
}
