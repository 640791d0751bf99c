// One thread follows pointers through memory: the latency of the level that the ring fits into. Every word points
// `stride` bytes ahead, so that writing the ring leaves its end in the L2 and nothing of its beginning.
//@ param   bytes = 1 << 16
//@ param   stride = 128
//@ param   n = 512
//@ scratch ring unsigned long long[bytes / 8]
//@ scratch out unsigned long long[1]
//@ needs   stride % 8 == 0
//@ launch  link<<<sm_count * 2, 512>>>(ring, bytes / 8, stride / 8)
//@ launch  chase<<<1, 1>>>(ring, n, out)
typedef unsigned long long word;

extern "C" __global__ void link(word *ring, word words, word step)
{
    for (word i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x)
        ring[i] = (word)(ring + (i + step < words ? i + step : i + step - words));
}

extern "C" __global__ void chase(word *ring, int n, word *out)
{
    word at = (word)ring;
#pragma unroll 16
    for (int i = 0; i < n; i++)
        asm volatile("ld.global.u64 %0, [%0];" : "+l"(at));
    *out = at;
}
