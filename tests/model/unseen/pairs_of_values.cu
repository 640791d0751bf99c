// How often each pair of neighbouring values occurs: 64 x 64 counters in global memory, near the diagonal most of all.
//@ param   n = 1 << 20
//@ buffer  value int[n] = (i / 97 + (hash(i) & 7)) & 63
//@ buffer  count int[4096] = 0
//@ launch  pairs<<<n / 256, 256>>>(value, count, n)
extern "C" __global__ void pairs(const int *value, int *count, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i + 1 < n)
        atomicAdd(&count[value[i] * 64 + value[i + 1]], 1);
}
