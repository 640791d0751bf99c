// Sorts 256 floats a block: each thread counts how many stand before
// its own.
//@ param   n = 1 << 19
//@ buffer  keys float[n] = hash(i) & 4095
//@ launch  sort<<<n / 256, 256>>>(keys)
extern "C" __global__ void sort(float *keys)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    float *mine = keys + blockIdx.x * 256;
    float key = mine[t];
    s[t] = key;
    __syncthreads();
    int rank = 0;
    for (int j = 0; j < 256; j++)
        if (s[j] < key || (s[j] == key && j < t))
            rank++;
    mine[rank] = key;
}
