// How many bases of a short RNA can pair at most without crossings (Nussinov), for many
// sequences of 80 bases. A block has one sequence and fills a triangle in shared memory,
// diagonal by diagonal: an interval's best is that with its ends paired, or the best way
// to split it in two.
//@ param   sequences = 300
//@ buffer  bases unsigned char[sequences * 80] = hash(i) & 3
//@ buffer  pairs short[sequences]
//@ launch  fold<<<sequences, 96>>>(bases, pairs)
const int length = 80, loop = 3;

// A, C, G, U are 0, 1, 2, 3; A pairs with U, C with G and G with U.
__device__ bool can_pair(int a, int b)
{
    return a + b == 3 || a + b == 5;
}

__global__ void fold(const unsigned char *bases, short *pairs)
{
    // Row i holds the intervals from i, ended by j; there are none below the diagonal.
    __shared__ short best[length + 1][length + 2];
    __shared__ unsigned char base[length];

    int i = threadIdx.x;
    if (i < length)
        base[i] = bases[blockIdx.x * length + i];
    for (int k = i; k < (length + 1) * (length + 2); k += blockDim.x)
        best[k / (length + 2)][k % (length + 2)] = 0;
    __syncthreads();

    for (int span = loop + 1; span < length; span++) {
        int j = i + span;
        if (j < length) {
            int most = best[i + 1][j];
            if (can_pair(base[i], base[j]))
                most = max(most, best[i + 1][j - 1] + 1);
            for (int k = i + 1; k < j; k++)
                most = max(most, best[i][k] + best[k + 1][j]);
            best[i][j] = most;
        }
        __syncthreads();
    }
    if (i == 0)
        pairs[blockIdx.x] = best[0][length - 1];
}
