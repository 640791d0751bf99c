// Encrypts 64-bit blocks with XTEA, 32 rounds, each block XORed with its number first.
//@ param   n = 1 << 21
//@ buffer  text unsigned[2 * n] = hash(i)
//@ buffer  key  unsigned[4] = hash(i + 99)
//@ launch  xtea<<<n / 128, 128>>>(text, key, n)
__global__ void xtea(uint2 *text, const unsigned *key, int n)
{
    __shared__ unsigned k[4];
    if (threadIdx.x < 4)
        k[threadIdx.x] = key[threadIdx.x];
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uint2 v = text[i];
        v.x ^= i;
        unsigned sum = 0;
        for (int round = 0; round < 32; round++) {
            v.x += (((v.y << 4) ^ (v.y >> 5)) + v.y) ^ (sum + k[sum & 3]);
            sum += 0x9e3779b9u;
            v.y += (((v.x << 4) ^ (v.x >> 5)) + v.x) ^ (sum + k[(sum >> 11) & 3]);
        }
        text[i] = v;
    }
}
