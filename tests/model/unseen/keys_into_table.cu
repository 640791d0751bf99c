// Puts keys into a hash table that is half full in the end; a key whose place is taken goes to the next one.
//@ param   n = 1 << 18
//@ buffer  key   unsigned[n] = i + 1
//@ buffer  table unsigned[2 * n] = 0
//@ launch  insert<<<n / 256, 256>>>(key, table, 2 * n - 1)
extern "C" __global__ void insert(const unsigned *key, unsigned *table, unsigned mask)
{
    unsigned mine = key[blockIdx.x * 256 + threadIdx.x], at = mine * 2654435761u >> 7;
    for (;;) {
        unsigned there = atomicCAS(&table[at & mask], 0u, mine);
        if (there == 0 || there == mine)
            return;
        at++;
    }
}
