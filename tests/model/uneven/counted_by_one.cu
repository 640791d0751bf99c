// One thread counts 20000 keys into 256 bins by atomics.
//@ param   n = 1 << 18
//@ buffer  key int[n] = hash(i) & 255
//@ buffer  bin int[256] = 0
//@ launch  k<<<n / 256, 256>>>(key, bin)
extern "C" __global__ void k(const int *key, int *bin)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i == 1)
        for (int j = 0; j < 20000; j++)
            atomicAdd(&bin[key[j]], 1);
}
