// A block of a single thread scans 1024 numbers, one after another. The
// blocks do not know what comes before them: a second kernel scans
// their sums, and a third one adds these.
//@ title   Serial in each block
//@ why     Within a block every sum waits for the one before, and a
//@ why     warp has one lane that works.
//@ scratch sums int[(n + 1023) / 1024]
//@ launch  scanSerial<<<(n + 1023) / 1024, 1>>>(in, out, sums, n)
//@ launch  scanSums<<<1, 1024>>>(sums, (n + 1023) / 1024)
//@ launch  addSums<<<(n + 1023) / 1024, 256>>>(out, sums, n)
//@ owner   out <<<i / 1024, 0>>>
extern "C" __global__ void scanSerial(const int *__restrict__ in,
                                      int *__restrict__ out,
                                      int *__restrict__ sums, int n)
{
    int first = blockIdx.x * 1024;
    int last = min(first + 1024, n);
    int sum = 0;
#pragma unroll 4
    for (int i = first; i < last; i++) {
        sum += in[i];
        out[i] = sum;
    }
    sums[blockIdx.x] = sum;
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
