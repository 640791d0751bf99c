// Counts the words of 21 letters in DNA reads in a table with open addressing. A word and
// what the opposite strand has in its place count as one: the smaller of the two. A
// thread slides over eight words. Half of the table is free; slots hold the word plus
// one, and 0 is free.
//@ param   reads = 120000
//@ param   slots = 1 << 18
//@ buffer  letters unsigned char[reads * 8 + 21] = hash(i % 150000) & 3
//@ buffer  words unsigned long long[slots] = 0
//@ buffer  counts unsigned[slots] = 0
//@ launch  count_words<<<(reads + 191) / 192, 192>>>(
//@             letters, words, counts, slots - 1, reads)
typedef unsigned long long word;
const int length = 21;

__device__ unsigned slot_of(word w)
{
    w ^= w >> 33;
    w *= 0xff51afd7ed558ccdull;
    w ^= w >> 29;
    return (unsigned)(w >> 7);
}

__global__ void count_words(const unsigned char *letters, word *words, unsigned *counts,
                            unsigned mask, int reads)
{
    int read = blockIdx.x * blockDim.x + threadIdx.x;
    if (read >= reads)
        return;

    const unsigned char *here = letters + read * 8;
    const word all = (1ull << 2 * length) - 1;
    word forward = 0, backward = 0;
    for (int k = 0; k < length + 7; k++) {
        word letter = here[k];
        forward = (forward << 2 | letter) & all;
        backward = backward >> 2 | (3 - letter) << 2 * (length - 1);
        if (k < length - 1)
            continue;

        word one = forward < backward ? forward : backward;
        unsigned slot = slot_of(one) & mask;
        while (true) {
            word found = atomicCAS(&words[slot], 0ull, one + 1);
            if (found == 0 || found == one + 1)
                break;
            slot = (slot + 1) & mask;
        }
        atomicAdd(&counts[slot], 1u);
    }
}
