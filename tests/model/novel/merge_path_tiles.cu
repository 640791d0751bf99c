// Merges two sorted lists into one. Each block finds its share of both by
// a search on its diagonal, copies it to shared memory, and each thread
// merges seven elements. The result holds all keys in ascending order.
//@ param   n = 1000000
//@ buffer  a   int[n] = i * 3 + hash(i) % 3
//@ buffer  b   int[n] = i * 3 + hash(i + 11) % 3
//@ buffer  out int[2 * n]
//@ launch  mergeLists<<<(2 * n + 895) / 896, 128>>>(a, n, b, n, out)
constexpr int kThreads = 128;
constexpr int kEach = 7;
constexpr int kTile = kThreads * kEach;

__device__ int diagonal(const int *a, int na, const int *b, int nb, int d)
{
    int low = max(0, d - nb), high = min(d, na);
    while (low < high) {
        int mid = (low + high) / 2;
        if (a[mid] <= b[d - 1 - mid])
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

__global__ void __launch_bounds__(kThreads)
mergeLists(const int *a, int na, const int *b, int nb, int *out)
{
    __shared__ int keys[kTile];
    __shared__ int split[2];

    int begin = blockIdx.x * kTile;
    int end = min(begin + kTile, na + nb);
    if (threadIdx.x < 2)
        split[threadIdx.x] =
            diagonal(a, na, b, nb, threadIdx.x == 0 ? begin : end);
    __syncthreads();

    int a0 = split[0], b0 = begin - a0;
    int countA = split[1] - a0, countB = end - begin - countA;
    for (int k = threadIdx.x; k < countA + countB; k += kThreads)
        keys[k] = k < countA ? a[a0 + k] : b[b0 + k - countA];
    __syncthreads();

    const int *sa = keys, *sb = keys + countA;
    int d = min((int)threadIdx.x * kEach, countA + countB);
    int ia = diagonal(sa, countA, sb, countB, d), ib = d - ia;
    int mine[kEach];
#pragma unroll
    for (int k = 0; k < kEach; k++) {
        bool left = ib >= countB || (ia < countA && sa[ia] <= sb[ib]);
        if (ia < countA || ib < countB)
            mine[k] = left ? sa[ia++] : sb[ib++];
        else
            mine[k] = 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kEach; k++)
        if (threadIdx.x * kEach + k < countA + countB)
            keys[threadIdx.x * kEach + k] = mine[k];
    __syncthreads();
    for (int k = threadIdx.x; k < countA + countB; k += kThreads)
        out[begin + k] = keys[k];
}
