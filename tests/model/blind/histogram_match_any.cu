// Counts skewed keys: the lanes of a warp that have the same key elect
// one of them, which adds for all.
//@ param   n = 1 << 22
//@ param   bins = 4096
//@ buffer  key   int[n] = ((hash(i) & 4095) * (hash(i + 77) & 4095)
//@                         >> 12) * (hash(i + 991) & 4095) >> 12
//@ buffer  count int[bins] = 0
//@ launch  histogram<<<n / 2048, 256>>>(key, count, n)
__global__ void histogram(const int *key, int *count, int n)
{
    int lane = threadIdx.x & 31;
    int first = blockIdx.x * 2048 + threadIdx.x;
    for (int k = 0; k < 8; k++) {
        int bin = key[first + k * 256];
        unsigned same = __match_any_sync(0xffffffff, bin);
        int leader = __ffs(same) - 1;
        if (lane == leader)
            atomicAdd(&count[bin], __popc(same));
    }
}
