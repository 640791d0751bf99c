// One pass. A block takes the next part by a ticket, posts its sum, and
// looks back at what the blocks before have posted: their sums, up to
// the nearest one that knows the sum of all before it. It waits only
// for smaller tickets, whose blocks are running.
//@ title   One pass, looking back
//@ why     One read and one write for each number. Each block waits for
//@ why     a few words from others, not for a kernel to end.
//@ scratch posted unsigned long long[(n + 4095) / 4096]
//@ scratch ticket int[1]
//@ launch  clear<<<(n + 4095) / 4096 / 256 + 1, 256>>>(
//@             posted, ticket, (n + 4095) / 4096)
//@ launch  scanOnce<<<(n + 4095) / 4096, 128>>>(
//@             in, out, posted, ticket, n)
extern "C" __global__ void clear(unsigned long long *posted,
                                 int *ticket, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        posted[i] = 0;
    if (i == 0)
        *ticket = 0;
}

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

// A part posts one word: what is known in its upper half, the sum in
// its lower half. Both travel together, so no fence is needed. Such
// accesses go past L1 and are read anew each time.
enum { NOTHING, OWN_SUM, ALL_SUM };

__device__ void post(unsigned long long *to, int known, int sum)
{
    unsigned long long word =
        (unsigned long long)known << 32 | (unsigned)sum;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;"
                 :
                 : "l"(to), "l"(word)
                 : "memory");
}

__device__ unsigned long long look(const unsigned long long *from)
{
    unsigned long long word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                 : "=l"(word)
                 : "l"(from)
                 : "memory");
    return word;
}

// The sum of all parts before `part`, by a whole warp: 32 parts at a
// time, lane 0 the nearest one.
__device__ int lookBack(const unsigned long long *posted, int part,
                        int lane)
{
    int before = 0;
    for (int nearest = part - 1; nearest >= 0; nearest -= 32) {
        int mine = nearest - lane, known, sum;
        do {
            unsigned long long word =
                mine >= 0 ? look(&posted[mine])
                          : (unsigned long long)ALL_SUM << 32;
            known = (int)(word >> 32), sum = (int)word;
        } while (__any_sync(0xffffffff, known == NOTHING));
        // Nothing counts past the nearest part that knows all.
        unsigned ends = __ballot_sync(0xffffffff, known == ALL_SUM);
        if (ends && lane > __ffs(ends) - 1)
            sum = 0;
        for (int half = 16; half > 0; half /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, half);
        before += sum;
        if (ends)
            break;
    }
    return before;
}

extern "C" __global__ void scanOnce(const int *__restrict__ in,
                                    int *__restrict__ out,
                                    unsigned long long *posted,
                                    int *ticket, int n)
{
    enum { ROWS = 8 };
    __shared__ int warp_sum[4], shared_part, shared_before;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    if (threadIdx.x == 0)
        shared_part = atomicAdd(ticket, 1);
    __syncthreads();
    int part = shared_part;
    // A warp has 1024 neighbours: eight rows of 128, four for each
    // lane.
    int idx = part * 512 * ROWS + warp * 128 * ROWS + 4 * lane;

    int4 row[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        row[r] = loadFour(in, idx + 128 * r, n);
    int before = 0; // the sum of what precedes a row in the warp
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
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

    int left = 0, all = 0;
    for (int w = 0; w < 4; w++) {
        left += w < warp ? warp_sum[w] : 0;
        all += warp_sum[w];
    }
    if (warp == 0) {
        if (lane == 0)
            post(&posted[part], part ? OWN_SUM : ALL_SUM, all);
        int parts = lookBack(posted, part, lane);
        if (lane == 0) {
            post(&posted[part], ALL_SUM, parts + all);
            shared_before = parts;
        }
    }
    __syncthreads();

    left += shared_before;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        int4 a = row[r];
        a.x += left, a.y += left, a.z += left, a.w += left;
        storeFour(out, idx + 128 * r, n, a);
    }
}
