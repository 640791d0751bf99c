// Sorts rows of 256 in shared memory by swaps of neighbours.
//@ param   rows = 1056
//@ buffer  data int[rows * 256] = hash(i) % 65521
//@ launch  sort<<<rows, 128>>>(data)
extern "C" __global__ void sort(int *data)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    int *row = data + blockIdx.x * 256;
    s[t] = row[t];
    s[t + 128] = row[t + 128];
    for (int round = 0; round < 256; round++) {
        __syncthreads();
        int left = 2 * t + round % 2;
        if (left + 1 < 256 && s[left] > s[left + 1]) {
            int keep = s[left];
            s[left] = s[left + 1];
            s[left + 1] = keep;
        }
    }
    __syncthreads();
    row[t] = s[t];
    row[t + 128] = s[t + 128];
}
