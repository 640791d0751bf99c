// A thread for each number. One that keeps its number takes the next
// free place from a counter, by an atomic.
//@ title   An atomic for each
//@ why     Every number that is kept takes its place from one and the
//@ why     same word.
//@ launch  compactAtomic<<<(n + 255) / 256, 256>>>(
//@             in, out, count, n, n / 2)
extern "C" __global__ void compactAtomic(const int *__restrict__ in,
                                         int *__restrict__ out,
                                         int *__restrict__ count, int n,
                                         int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int value = in[i];
        if (value < limit)
            out[atomicAdd(count, 1)] = value;
    }
}
