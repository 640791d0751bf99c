// Bitonic sort in shared memory: each block sorts 2048 keys with their values, 1024 threads, a compare a thread and step.
//@ param   n = 1 << 20
//@ buffer  key   float[n] = hash(i) & 0xffffff
//@ buffer  value int[n] = i
//@ launch  sortPairs<<<n / 2048, 1024>>>(key, value)
__global__ void sortPairs(float *key, int *value)
{
    __shared__ float k[2048];
    __shared__ int v[2048];
    const int t = threadIdx.x;
    const int base = blockIdx.x * 2048;

    k[t] = key[base + t];
    v[t] = value[base + t];
    k[t + 1024] = key[base + t + 1024];
    v[t + 1024] = value[base + t + 1024];

    for (int size = 2; size <= 2048; size *= 2) {
        const bool descending = (t & (size / 2)) != 0;
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            const int i = 2 * t - (t & (stride - 1));
            const int j = i + stride;
            if ((k[i] > k[j]) != descending) {
                float fk = k[i];
                k[i] = k[j];
                k[j] = fk;
                int fv = v[i];
                v[i] = v[j];
                v[j] = fv;
            }
        }
    }
    __syncthreads();
    key[base + t] = k[t];
    value[base + t] = v[t];
    key[base + t + 1024] = k[t + 1024];
    value[base + t + 1024] = v[t + 1024];
}
