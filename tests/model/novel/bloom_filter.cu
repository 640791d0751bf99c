// A Bloom filter of 2^25 bits: one kernel sets five bits for each key of
// 64 bits, the other looks up other keys and counts those that may be in.
//@ param   words = 1 << 20
//@ param   inserts = 300000
//@ param   lookups = 700000
//@ buffer  in     unsigned long long[inserts] = hash(i) * 7
//@ buffer  ask    unsigned long long[lookups] = hash(i * 2) * 7
//@ buffer  filter unsigned[words] = 0
//@ buffer  maybe  unsigned char[lookups]
//@ buffer  hits   unsigned[1] = 0
//@ launch  insert<<<(inserts + 255) / 256, 256>>>(in, inserts, filter,
//@                                                words * 32 - 1)
//@ launch  lookup<<<(lookups + 255) / 256, 256>>>(ask, lookups, filter,
//@                                                words * 32 - 1, maybe,
//@                                                hits)
#define HASHES 5

__device__ unsigned long long scramble(unsigned long long x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    x ^= x >> 33;
    return x;
}

__global__ void insert(const unsigned long long *keys, int count,
                       unsigned *filter, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned long long h = scramble(keys[i]);
    unsigned h1 = (unsigned)h, h2 = (unsigned)(h >> 32) | 1;
    for (int k = 0; k < HASHES; k++) {
        unsigned bit = (h1 + k * h2) & mask;
        atomicOr(&filter[bit / 32], 1u << bit % 32);
    }
}

__global__ void lookup(const unsigned long long *keys, int count,
                       const unsigned *filter, unsigned mask,
                       unsigned char *maybe, unsigned *hits)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool found = i < count;
    if (i < count) {
        unsigned long long h = scramble(keys[i]);
        unsigned h1 = (unsigned)h, h2 = (unsigned)(h >> 32) | 1;
        for (int k = 0; k < HASHES && found; k++) {
            unsigned bit = (h1 + k * h2) & mask;
            found = filter[bit / 32] >> bit % 32 & 1;
        }
        maybe[i] = found;
    }
    int sum = __syncthreads_count(found);
    if (threadIdx.x == 0 && sum > 0)
        atomicAdd(hits, sum);
}
