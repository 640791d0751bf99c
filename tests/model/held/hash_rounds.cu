// Searches for hashes with many leading zeros: 64 tries a thread.
//@ param   n = 1 << 19
//@ buffer  best unsigned[n]
//@ launch  search<<<n / 128, 128>>>(best, 12345)
__device__ unsigned mix(unsigned h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    return h;
}

extern "C" __global__ void search(unsigned *best, unsigned seed)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned least = 0xffffffffu;
    for (unsigned nonce = 0; nonce < 64; nonce++) {
        unsigned h = mix(mix(seed ^ i) + nonce * 0x9e3779b9u);
        h = (h << 7 | h >> 25) + i;
        least = h < least ? h : least;
    }
    best[i] = least;
}
