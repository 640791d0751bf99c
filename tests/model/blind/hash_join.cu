// Joins two tables by key: the small one goes into a hash table with
// open addressing, the large one looks its keys up there.
//@ param   slots = 1 << 20
//@ param   small = 600000
//@ param   large = 2000000
//@ buffer  skey   unsigned[small] = hash(i) % 1500000
//@ buffer  sval   int[small] = i % 1000
//@ buffer  lkey   unsigned[large] = hash(i * 3 + 1) % 1500000
//@ buffer  lval   int[large] = i % 100
//@ buffer  tkey   unsigned[slots] = 0xffffffff
//@ buffer  tval   int[slots] = 0
//@ buffer  joined int[large]
//@ launch  build<<<(small + 255) / 256, 256>>>(skey, sval, small, tkey,
//@                                             tval, slots - 1)
//@ launch  probe<<<(large + 255) / 256, 256>>>(lkey, lval, large, tkey,
//@                                             tval, slots - 1, joined)
constexpr unsigned kEmpty = 0xffffffffu;

__device__ __forceinline__ unsigned mix(unsigned h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    return h;
}

__global__ void build(const unsigned *key, const int *val, int count,
                      unsigned *tkey, int *tval, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned k = key[i];
    unsigned slot = mix(k) & mask;
    while (true) {
        unsigned was = atomicCAS(&tkey[slot], kEmpty, k);
        if (was == kEmpty || was == k) {
            atomicAdd(&tval[slot], val[i]);
            return;
        }
        slot = (slot + 1) & mask;
    }
}

__global__ void probe(const unsigned *__restrict__ key,
                      const int *__restrict__ val, int count,
                      const unsigned *__restrict__ tkey,
                      const int *__restrict__ tval, unsigned mask,
                      int *__restrict__ joined)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned k = key[i];
    int result = -1;
    for (unsigned slot = mix(k) & mask;; slot = (slot + 1) & mask) {
        unsigned there = tkey[slot];
        if (there == k) {
            result = tval[slot] + val[i];
            break;
        }
        if (there == kEmpty)
            break;
    }
    joined[i] = result;
}
