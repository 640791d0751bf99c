// Inclusive prefix sums in one pass: a block publishes the sum of its
// tile and looks back at the tiles before it (decoupled look-back).
//@ param   n = 1 << 22
//@ buffer  in   int[n] = hash(i) % 10
//@ buffer  out  int[n]
//@ buffer  tile unsigned long long[n / 1024] = 0
//@ buffer  next unsigned[1] = 0
//@ launch  scan<<<n / 1024, 256>>>(in, out, tile, next)
typedef unsigned long long u64;
const u64 PARTIAL = 1ull << 32, COMPLETE = 2ull << 32;

__device__ int warpScan(int v, int lane)
{
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d)
            v += u;
    }
    return v;
}

// The sum of all tiles before this one, found by one warp
__device__ int lookBack(u64 *tile, int me, int lane)
{
    int before = 0;
    for (int at = me - 1; ; at -= 32) {
        int t = at - lane;
        u64 s = COMPLETE;
        if (t >= 0)
            do
                s = atomicAdd(&tile[t], 0ull);
            while (s < PARTIAL);
        unsigned full = __ballot_sync(0xffffffffu, s >= COMPLETE);
        int stop = full ? __ffs(full) - 1 : 31;
        int sum = lane <= stop ? (int)(unsigned)s : 0;
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, d);
        before += sum;
        if (full)
            return before;
    }
}

__global__ void scan(const int *in, int *out, u64 *tile, unsigned *next)
{
    __shared__ int ticket, offset;
    __shared__ int ofWarp[8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    if (threadIdx.x == 0)
        ticket = atomicAdd(next, 1u);
    __syncthreads();
    int me = ticket;

    int4 v = reinterpret_cast<const int4 *>(in)[me * 256 + threadIdx.x];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    int upTo = warpScan(v.w, lane);
    if (lane == 31)
        ofWarp[warp] = upTo;
    __syncthreads();

    if (warp == 0) {
        int s = warpScan(lane < 8 ? ofWarp[lane] : 0, lane);
        int total = __shfl_sync(0xffffffffu, s, 7);
        if (lane < 8)
            ofWarp[lane] = s;
        if (lane == 0)
            atomicExch(&tile[me], (me == 0 ? COMPLETE : PARTIAL)
                                  | (unsigned)total);
        int before = me == 0 ? 0 : lookBack(tile, me, lane);
        if (lane == 0) {
            offset = before;
            if (me > 0)
                atomicExch(&tile[me],
                           COMPLETE | (unsigned)(before + total));
        }
    }
    __syncthreads();

    int add = offset + upTo - v.w + (warp > 0 ? ofWarp[warp - 1] : 0);
    v.x += add;
    v.y += add;
    v.z += add;
    v.w += add;
    reinterpret_cast<int4 *>(out)[me * 256 + threadIdx.x] = v;
}
