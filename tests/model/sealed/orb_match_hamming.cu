// Matches features of two pictures: for each of 256 bits the one of the
// other picture that differs in the fewest bits, and the second best.
//@ param   queries = 4096
//@ param   others = 2048
//@ buffer  a     uint4[queries * 2] = hash(i)
//@ buffer  b     uint4[others * 2] = hash(i + 99)
//@ buffer  match int[queries]
//@ launch  match256<<<queries / 64, 64>>>(a, b, match, others)
#define TILE 64

__device__ int differ(uint4 p, uint4 q)
{
    return __popc(p.x ^ q.x) + __popc(p.y ^ q.y) + __popc(p.z ^ q.z) +
           __popc(p.w ^ q.w);
}

__global__ void match256(const uint4 *a, const uint4 *b, int *match,
                         int others)
{
    __shared__ uint4 tile[TILE][2];

    int i = blockIdx.x * TILE + threadIdx.x;
    uint4 low = a[2 * i], high = a[2 * i + 1];
    int first = 257, second = 257, best = -1;
    for (int t = 0; t < others; t += TILE) {
        __syncthreads();
        tile[threadIdx.x][0] = b[2 * (t + threadIdx.x)];
        tile[threadIdx.x][1] = b[2 * (t + threadIdx.x) + 1];
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            int bits = differ(low, tile[k][0]) + differ(high, tile[k][1]);
            if (bits < first) {
                second = first;
                first = bits;
                best = t + k;
            } else if (bits < second) {
                second = bits;
            }
        }
    }
    match[i] = first * 10 < second * 9 ? best : -1;
}
