// The largest value of each of 512 regions, by atomics in global memory.
//@ param   n = 1 << 20
//@ buffer  value int[n] = hash(i) & 1048575
//@ buffer  best  int[512] = 0
//@ launch  find<<<n / 256, 256>>>(value, best)
extern "C" __global__ void find(const int *value, int *best)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    atomicMax(&best[(unsigned)i * 2654435761u >> 23], value[i]);
}
