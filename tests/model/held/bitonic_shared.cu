// Sorts 1024 numbers a block in shared memory.
//@ param   n = 1 << 20
//@ buffer  keys int[n] = hash(i) & 0xfffff
//@ launch  sort<<<n / 1024, 512>>>(keys)
extern "C" __global__ void sort(int *keys)
{
    __shared__ int s[1024];
    int t = threadIdx.x;
    int *mine = keys + blockIdx.x * 1024;
    s[t] = mine[t];
    s[t + 512] = mine[t + 512];

    for (int run = 2; run <= 1024; run *= 2)
        for (int far = run / 2; far > 0; far /= 2) {
            __syncthreads();
            int low = 2 * t - (t & (far - 1));
            int a = s[low], b = s[low + far];
            bool up = (low & run) == 0;
            if ((a > b) == up) {
                s[low] = b;
                s[low + far] = a;
            }
        }
    __syncthreads();
    mine[t] = s[t];
    mine[t + 512] = s[t + 512];
}
