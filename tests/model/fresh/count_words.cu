// Counts how often each word occurs: a hash table with open addressing, 32768 words with very different frequencies.
//@ param   n = 1 << 21
//@ buffer  word  int[n] = hash(i) % 32768 * (hash(i + 1) % 32768) / 32768
//@ buffer  key   int[1 << 17] = -1
//@ buffer  count int[1 << 17] = 0
//@ launch  countWords<<<n / 512, 512>>>(word, key, count, (1 << 17) - 1)
__device__ unsigned mix(unsigned h)
{
    h ^= h >> 16;
    h *= 0x85ebca6b;
    h ^= h >> 13;
    h *= 0xc2b2ae35;
    return h ^ h >> 16;
}

__global__ void countWords(const int *word, int *key, int *count, unsigned mask)
{
    int w = word[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned slot = mix(w) & mask;
    while (true) {
        int found = atomicCAS(&key[slot], -1, w);
        if (found == -1 || found == w) {
            atomicAdd(&count[slot], 1);
            return;
        }
        slot = (slot + 1) & mask;
    }
}
