// Counts letters by kind: 26 words and one for the rest.
//@ param   n = 1 << 19
//@ buffer  text   unsigned char[n] = 97 + hash(i) % 29
//@ buffer  counts unsigned[27] = 0
//@ launch  count<<<(n + 255) / 256, 256>>>(text, counts, n)
extern "C" __global__ void count(const unsigned char *text,
                                 unsigned *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int letter = text[i] - 'a';
    if (letter < 0 || letter >= 26)
        letter = 26;
    atomicAdd(&counts[letter], 1);
}
