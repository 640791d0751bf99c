// The k-th smallest key of each row, a digit of eight bits at a time from
// the top: count the digits of the keys still in the race in shared
// memory, and go into the bin where the k-th lies. A block has a row.
//@ param   rows = 500
//@ param   cols = 6000
//@ buffer  key  unsigned[rows * cols] = hash(i) >> (i % 3)
//@ buffer  kth  unsigned[rows]
//@ launch  radixSelect<<<rows, 256>>>(key, kth, cols, cols / 2)
__global__ void radixSelect(const unsigned *key, unsigned *kth, int cols,
                            int k)
{
    __shared__ int count[256];
    __shared__ unsigned chosen;
    __shared__ int rest;

    const unsigned *row = key + (size_t)blockIdx.x * cols;
    int t = threadIdx.x;
    unsigned prefix = 0, mask = 0;
    if (t == 0)
        rest = k;

    for (int shift = 24; shift >= 0; shift -= 8) {
        count[t] = 0;
        __syncthreads();
        for (int i = t; i < cols; i += 256) {
            unsigned v = row[i];
            if ((v & mask) == prefix)
                atomicAdd(&count[v >> shift & 255], 1);
        }
        __syncthreads();

        int mine = count[t];
        for (int d = 1; d < 256; d *= 2) {
            int other = t >= d ? count[t - d] : 0;
            __syncthreads();
            count[t] += other;
            __syncthreads();
        }
        int want = rest;
        __syncthreads();
        if (want < count[t] && want >= count[t] - mine) {
            chosen = t;
            rest = want - (count[t] - mine);
        }
        __syncthreads();
        prefix |= chosen << shift;
        mask |= 255u << shift;
    }
    if (t == 0)
        kth[blockIdx.x] = prefix;
}
