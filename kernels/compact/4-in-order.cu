// The order is kept. A block has to know how many numbers all before it
// keep, and learns that as a scan does in one pass: by looking back at
// what they have posted.
//@ title   In order, looking back
//@ why     No word is shared by all. To keep the order costs a few
//@ why     words for each block.
//@ scratch posted unsigned long long[(n + 4095) / 4096]
//@ scratch ticket int[1]
//@ launch  clear<<<(n + 4095) / 4096 / 256 + 1, 256>>>(
//@             posted, ticket, (n + 4095) / 4096)
//@ launch  compactInOrder<<<(n + 4095) / 4096, 256>>>(
//@             in, out, count, posted, ticket, n, n / 2)
//@ order   out
extern "C" __global__ void clear(unsigned long long *posted,
                                 int *ticket, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        posted[i] = 0;
    if (i == 0)
        *ticket = 0;
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

extern "C" __global__ void compactInOrder(const int *__restrict__ in,
                                          int *__restrict__ out,
                                          int *__restrict__ count,
                                          unsigned long long *posted,
                                          int *ticket, int n, int limit)
{
    enum { ROWS = 16 };
    __shared__ int kept[8], shared_part, shared_before;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    if (threadIdx.x == 0)
        shared_part = atomicAdd(ticket, 1);
    __syncthreads();
    int part = shared_part;
    int idx = part * 256 * ROWS + warp * 32 * ROWS + lane;

    int value[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        value[r] = idx + 32 * r < n ? in[idx + 32 * r] : limit;
    unsigned keepers[ROWS];
    int mine = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        keepers[r] = __ballot_sync(0xffffffff, value[r] < limit);
        mine += __popc(keepers[r]);
    }
    if (lane == 0)
        kept[warp] = mine;
    __syncthreads();

    int place = 0, all = 0;
    for (int w = 0; w < 8; w++) {
        place += w < warp ? kept[w] : 0;
        all += kept[w];
    }
    if (warp == 0) {
        if (lane == 0)
            post(&posted[part], part ? OWN_SUM : ALL_SUM, all);
        int parts = lookBack(posted, part, lane);
        if (lane == 0) {
            post(&posted[part], ALL_SUM, parts + all);
            shared_before = parts;
            if (part == gridDim.x - 1)
                *count = parts + all;
        }
    }
    __syncthreads();

    place += shared_before;
    unsigned before = (1u << lane) - 1;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        if (value[r] < limit)
            out[place + __popc(keepers[r] & before)] = value[r];
        place += __popc(keepers[r]);
    }
}
