// Puts keys with values into a cuckoo hash table: each exchange drives
// out who was there, who goes to another of four places of its own. Those
// driven out 60 times are counted.
//@ param   slots = 1 << 19
//@ param   n = 330000
//@ buffer  table unsigned long long[slots] = 0
//@ buffer  lost  unsigned[1] = 0
//@ launch  cuckoo<<<(n + 127) / 128, 128>>>(table, slots - 1, n, lost)
__device__ unsigned place(unsigned key, int k, unsigned mask)
{
    const unsigned by[4] = {0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du,
                            0x27d4eb2fu};
    unsigned h = key * by[k];
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    return (h ^ h >> 12) & mask;
}

__global__ void cuckoo(unsigned long long *table, unsigned mask, int n,
                       unsigned *lost)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    unsigned key = i * 2654435761u | 1;
    unsigned long long entry = (unsigned long long)key << 32 | i;
    unsigned at = place(key, 0, mask);
    for (int round = 0; round < 60; round++) {
        entry = atomicExch(&table[at], entry);
        if (entry == 0)
            return;
        key = entry >> 32;
        unsigned p[4];
        for (int k = 0; k < 4; k++)
            p[k] = place(key, k, mask);
        unsigned to = p[0];
        for (int k = 2; k >= 0; k--)
            if (at == p[k])
                to = p[k + 1];
        at = to;
    }
    atomicAdd(lost, 1u);
}
