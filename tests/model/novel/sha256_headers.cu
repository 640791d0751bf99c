// SHA-256 twice over headers of 80 bytes that differ in the last word, as
// in the search for a block of a currency: counts the leading zero bits
// of each and keeps the most.
//@ param   n = 12000
//@ buffer  head unsigned[20] = hash(i)
//@ buffer  most int[1] = 0
//@ launch  mine<<<(n + 127) / 128, 128>>>(head, n, most)
__constant__ unsigned K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__constant__ unsigned H0[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                               0xa54ff53a, 0x510e527f, 0x9b05688c,
                               0x1f83d9ab, 0x5be0cd19};

__device__ __forceinline__ unsigned rotr(unsigned x, int n)
{
    return x >> n | x << (32 - n);
}

__device__ void block(unsigned *state, unsigned *w)
{
    unsigned a = state[0], b = state[1], c = state[2], d = state[3];
    unsigned e = state[4], f = state[5], g = state[6], h = state[7];
#pragma unroll 16
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            unsigned p = w[(i + 1) & 15], q = w[(i + 14) & 15];
            w[i & 15] += (rotr(p, 7) ^ rotr(p, 18) ^ p >> 3) +
                         w[(i + 9) & 15] +
                         (rotr(q, 17) ^ rotr(q, 19) ^ q >> 10);
        }
        unsigned t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) +
                      ((e & f) ^ (~e & g)) + K[i] + w[i & 15];
        unsigned t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) +
                      ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + t2;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

__global__ void mine(const unsigned *head, int n, int *most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int zeros = 0;
    if (i < n) {
        unsigned s[8], w[16];
        for (int k = 0; k < 8; k++)
            s[k] = H0[k];
        for (int k = 0; k < 16; k++)
            w[k] = head[k];
        block(s, w);
        for (int k = 0; k < 16; k++)
            w[k] = 0;
        for (int k = 0; k < 3; k++)
            w[k] = head[16 + k];
        w[3] = i;
        w[4] = 0x80000000u;
        w[15] = 640;
        block(s, w);

        for (int k = 0; k < 16; k++)
            w[k] = k < 8 ? s[k] : 0;
        w[8] = 0x80000000u;
        w[15] = 256;
        for (int k = 0; k < 8; k++)
            s[k] = H0[k];
        block(s, w);
        zeros = __clz(s[0]);
    }
    zeros = __reduce_max_sync(0xffffffffu, zeros);
    if (threadIdx.x % 32 == 0)
        atomicMax(most, zeros);
}
