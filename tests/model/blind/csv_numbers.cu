// Finds the numbers in a text of comma-separated values and appends
// each with its place to a list; the thread at its first digit reads.
//@ param   n = 3000000
//@ buffer  text  char[n] = (hash(i) % 40 == 0 ? 10
//@                        : hash(i) % 7 == 0 ? 44 : 48 + hash(i) % 10)
//@ buffer  value unsigned[n / 2 + 1] = 0
//@ buffer  place int[n / 2 + 1] = 0
//@ buffer  found int[1] = 0
//@ launch  parse<<<(n + 127) / 128, 128>>>(text, n, value, place,
//@                                         found)
__device__ bool isDigit(char c) { return c >= '0' && c <= '9'; }

__global__ void parse(const char *text, int n, unsigned *value,
                      int *place, int *found)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || !isDigit(text[i]))
        return;
    if (i > 0 && isDigit(text[i - 1]))
        return;   // in the middle of a number

    unsigned v = 0;
    int k = i;
    while (k < n && isDigit(text[k])) {
        v = v * 10 + (text[k] - '0');
        k++;
    }
    int slot = atomicAdd(found, 1);
    value[slot] = v;
    place[slot] = i;
}
