// The sums come first: one kernel only adds up, and the third one scans
// on top of what precedes its part. So each answer is written once.
//@ title   Sums first
//@ why     Two reads and one write for each number, where there were
//@ why     two reads and two writes.
//@ scratch sums int[(n + 2047) / 2048]
//@ launch  sumParts<<<(n + 2047) / 2048, 256>>>(in, sums, n)
//@ launch  scanSums<<<1, 1024>>>(sums, (n + 2047) / 2048)
//@ launch  scanParts<<<(n + 2047) / 2048, 256>>>(in, out, sums, n)
//@ owner   out <<<i / 2048, i % 2048 / 256 * 32 + i % 128 / 4>>>
__device__ int scanWarp(int sum, int lane)
{
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(0xffffffff, sum, d);
        sum += lane >= d ? left : 0;
    }
    return sum;
}

// Four numbers from `i` on; past the end there are zeros.
__device__ int4 loadFour(const int *in, int i, int n)
{
    if (i + 3 < n)
        return *(const int4 *)&in[i];
    return make_int4(i < n ? in[i] : 0, i + 1 < n ? in[i + 1] : 0,
                     i + 2 < n ? in[i + 2] : 0, 0);
}

__device__ void storeFour(int *out, int i, int n, int4 four)
{
    if (i + 3 < n) {
        *(int4 *)&out[i] = four;
        return;
    }
    if (i < n)
        out[i] = four.x;
    if (i + 1 < n)
        out[i + 1] = four.y;
    if (i + 2 < n)
        out[i + 2] = four.z;
}

extern "C" __global__ void sumParts(const int *__restrict__ in,
                                    int *__restrict__ sums, int n)
{
    __shared__ int warp_sum[8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int idx = blockIdx.x * 2048 + 4 * threadIdx.x;

    int4 a = loadFour(in, idx, n), b = loadFour(in, idx + 1024, n);
    int sum = a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (lane == 0)
        warp_sum[warp] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            sum += warp_sum[w];
        sums[blockIdx.x] = sum;
    }
}

extern "C" __global__ void scanParts(const int *__restrict__ in,
                                     int *__restrict__ out,
                                     const int *__restrict__ sums,
                                     int n)
{
    __shared__ int warp_sum[8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    // A warp has 256 neighbours: two rows of 128, four for each lane.
    int idx = blockIdx.x * 2048 + warp * 256 + 4 * lane;

    int4 row[2];
#pragma unroll
    for (int r = 0; r < 2; r++)
        row[r] = loadFour(in, idx + 128 * r, n);
    int before = 0; // the sum of what precedes a row in the warp
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int4 &a = row[r];
        a.y += a.x, a.z += a.y, a.w += a.z;
        int sum = scanWarp(a.w, lane);
        int left = before + sum - a.w;
        a.x += left, a.y += left, a.z += left, a.w += left;
        before += __shfl_sync(0xffffffff, sum, 31);
    }
    if (lane == 31)
        warp_sum[warp] = before;
    __syncthreads();

    int left = blockIdx.x ? sums[blockIdx.x - 1] : 0;
    for (int w = 0; w < 8; w++)
        left += w < warp ? warp_sum[w] : 0;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int4 a = row[r];
        a.x += left, a.y += left, a.z += left, a.w += left;
        storeFour(out, idx + 128 * r, n, a);
    }
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
