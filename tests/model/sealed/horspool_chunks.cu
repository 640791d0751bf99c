// Searches a text for a word of nine letters as Horspool does: a thread
// has 256 places and skips ahead by the letter below the word's end.
//@ param   n = 12000000
//@ buffer  text  char[n] = (hash(i / 9) % 50 == 0 ? 97 + i % 9
//@                         : 97 + hash(i) % 26)
//@ symbol  word  char[9] = {97, 98, 99, 100, 101, 102, 103, 104, 105}
//@ buffer  found int[1] = 0
//@ buffer  where int[65536] = -1
//@ launch  search<<<((n - 8 + 255) / 256 + 127) / 128, 128>>>(
//@             text, n, found, where)
#define M 9
__constant__ char word[M];

__global__ void search(const char *text, int n, int *found, int *where)
{
    __shared__ unsigned char skip[256];

    for (int c = threadIdx.x; c < 256; c += blockDim.x) {
        int far = M;
        for (int k = 0; k < M - 1; k++)
            if (word[k] == (char)c)
                far = M - 1 - k;
        skip[c] = far;
    }
    __syncthreads();

    int begin = (blockIdx.x * blockDim.x + threadIdx.x) * 256;
    int end = min(begin + 256, n - M + 1);
    for (int i = begin; i < end;) {
        unsigned char last = text[i + M - 1];
        int k = M - 1;
        while (k >= 0 && text[i + k] == word[k])
            k--;
        if (k < 0) {
            int slot = atomicAdd(found, 1);
            if (slot < 65536)
                where[slot] = i;
        }
        i += skip[last];
    }
}
