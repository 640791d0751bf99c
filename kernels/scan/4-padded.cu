// The same tree with an unused word after every 32, so that places a
// power of two apart lie in different banks.
//@ title   Tree with padding
//@ why     The same additions and rounds. What is left of the conflicts
//@ why     hardly counts.
//@ scratch sums int[(n + 1023) / 1024]
//@ launch  scanPadded<<<(n + 1023) / 1024, 512>>>(in, out, sums, n)
//@ launch  scanSums<<<1, 1024>>>(sums, (n + 1023) / 1024)
//@ launch  addSums<<<(n + 1023) / 1024, 256>>>(out, sums, n)
//@ owner   out <<<i / 1024, i % 512>>>
__device__ int at(int place)
{
    return place + place / 32;
}

extern "C" __global__ void scanPadded(const int *__restrict__ in,
                                      int *__restrict__ out,
                                      int *__restrict__ sums, int n)
{
    __shared__ int tree[1056];
    int tid = threadIdx.x;
    int idx = blockIdx.x * 1024 + tid;

    int low = idx < n ? in[idx] : 0;
    int high = idx + 512 < n ? in[idx + 512] : 0;
    tree[at(tid)] = low;
    tree[at(tid + 512)] = high;

    // Up: pairs of sums become one, and the last one holds all.
    for (int d = 1; d < 1024; d *= 2) {
        __syncthreads();
        if (tid < 512 / d) {
            int right = 2 * d * (tid + 1) - 1;
            tree[at(right)] += tree[at(right - d)];
        }
    }
    __syncthreads();
    if (tid == 0) {
        sums[blockIdx.x] = tree[at(1023)];
        tree[at(1023)] = 0;
    }

    // Down: what precedes a pair precedes its left half; its right half
    // has the left half before it as well.
    for (int d = 512; d > 0; d /= 2) {
        __syncthreads();
        if (tid < 512 / d) {
            int right = 2 * d * (tid + 1) - 1;
            int left = tree[at(right - d)];
            tree[at(right - d)] = tree[at(right)];
            tree[at(right)] += left;
        }
    }
    __syncthreads();

    // What precedes a number, and the number itself.
    if (idx < n)
        out[idx] = tree[at(tid)] + low;
    if (idx + 512 < n)
        out[idx + 512] = tree[at(tid + 512)] + high;
}

// One block scans the sums of all blocks, where they lie: 4096 a round,
// on top of those of the rounds before. Shuffles are a later step's
// idea.
extern "C" __global__ void scanSums(int *sums, int count)
{
    __shared__ int warp_sum[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int before = 0;

    for (int start = 0; start < count; start += 4096) {
        int first = start + 4 * threadIdx.x;
        int a = first < count ? sums[first] : 0;
        int b = first + 1 < count ? sums[first + 1] : 0;
        int c = first + 2 < count ? sums[first + 2] : 0;
        int d = first + 3 < count ? sums[first + 3] : 0;
        b += a, c += b, d += c;

        int sum = d;
        for (int step = 1; step < 32; step *= 2) {
            int left = __shfl_up_sync(0xffffffff, sum, step);
            sum += lane >= step ? left : 0;
        }
        if (lane == 31)
            warp_sum[warp] = sum;
        __syncthreads();
        int all = warp_sum[lane];
        for (int step = 1; step < 32; step *= 2) {
            int left = __shfl_up_sync(0xffffffff, all, step);
            all += lane >= step ? left : 0;
        }
        int warps = __shfl_sync(0xffffffff, all, (warp + 31) % 32);
        int base = before + sum - d + (warp ? warps : 0);
        before += __shfl_sync(0xffffffff, all, 31);
        __syncthreads();

        if (first < count)
            sums[first] = base + a;
        if (first + 1 < count)
            sums[first + 1] = base + b;
        if (first + 2 < count)
            sums[first + 2] = base + c;
        if (first + 3 < count)
            sums[first + 3] = base + d;
    }
}

// Each block adds the sum of all blocks before its own.
extern "C" __global__ void addSums(int *__restrict__ out,
                                   const int *__restrict__ sums, int n)
{
    if (blockIdx.x == 0)
        return;
    int first = blockIdx.x * 1024 + threadIdx.x;
    int before = sums[blockIdx.x - 1];
#pragma unroll
    for (int d = 0; d < 1024; d += 256)
        if (first + d < n)
            out[first + d] += before;
}
