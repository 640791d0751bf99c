// The edit distance of pairs of words of up to 120 letters: a block walks
// the diagonals of the table and keeps the last two of them.
//@ param   pairs = 250
//@ buffer  a    char[pairs * 120] = 97 + hash(i) % 4
//@ buffer  b    char[pairs * 120] = 97 + hash(i + i / 50) % 4
//@ buffer  alen int[pairs] = 120 - hash(i) % 20
//@ buffer  blen int[pairs] = 120 - hash(i + 5) % 20
//@ buffer  far  int[pairs]
//@ launch  editDistance<<<pairs, 128>>>(a, b, alen, blen, far)
#define MOST 120

__global__ void editDistance(const char *a, const char *b,
                             const int *alen, const int *blen, int *far)
{
    __shared__ char first[MOST], second[MOST];
    __shared__ int line[3][MOST + 1];

    int m = alen[blockIdx.x], n = blen[blockIdx.x];
    for (int i = threadIdx.x; i < MOST; i += blockDim.x) {
        first[i] = a[blockIdx.x * MOST + i];
        second[i] = b[blockIdx.x * MOST + i];
    }
    __syncthreads();

    // Cell (i, j) is in line i + j at place i.
    int *before = line[0], *last = line[1], *now = line[2];
    int i = threadIdx.x;
    for (int d = 0; d <= m + n; d++) {
        int j = d - i;
        if (i <= m && j >= 0 && j <= n) {
            int best;
            if (i == 0 || j == 0) {
                best = i + j;
            } else {
                best = before[i - 1] + (first[i - 1] != second[j - 1]);
                best = min(best, last[i - 1] + 1);
                best = min(best, last[i] + 1);
            }
            now[i] = best;
            if (d == m + n)
                far[blockIdx.x] = best;
        }
        __syncthreads();
        int *oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
}
