// Eight blocks of two warps look up keys in a sorted array, by halving.
//@ param   n = 1 << 22
//@ param   queries = 4096
//@ buffer  sorted int[n] = 3 * i
//@ buffer  key    int[queries] = hash(i) % (3 * n)
//@ buffer  found  int[queries]
//@ launch  search<<<8, 64>>>(sorted, n, key, found, queries)
extern "C" __global__ void search(const int *sorted, int n,
                                  const int *key, int *found,
                                  int queries)
{
    for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < queries;
         q += gridDim.x * blockDim.x) {
        int wanted = key[q];
        int low = 0, high = n;
        while (low < high) {
            int middle = (low + high) / 2;
            if (sorted[middle] < wanted)
                low = middle + 1;
            else
                high = middle;
        }
        found[q] = low;
    }
}
