// Sums of all that comes before, in blocks of 512, up and down a tree in shared memory.
//@ param   n = 1 << 21
//@ buffer  data int[n] = i % 10
//@ launch  scan<<<n / 512, 256>>>(data)
extern "C" __global__ void scan(int *data)
{
    __shared__ int s[512];
    int t = threadIdx.x;
    int *row = data + blockIdx.x * 512;
    s[2 * t] = row[2 * t];
    s[2 * t + 1] = row[2 * t + 1];
    int apart = 1;
    for (int d = 256; d > 0; d >>= 1, apart *= 2) {
        __syncthreads();
        if (t < d)
            s[apart * (2 * t + 2) - 1] += s[apart * (2 * t + 1) - 1];
    }
    if (t == 0)
        s[511] = 0;
    for (int d = 1; d < 512; d *= 2) {
        apart >>= 1;
        __syncthreads();
        if (t < d) {
            int left = s[apart * (2 * t + 1) - 1];
            s[apart * (2 * t + 1) - 1] = s[apart * (2 * t + 2) - 1];
            s[apart * (2 * t + 2) - 1] += left;
        }
    }
    __syncthreads();
    row[2 * t] = s[2 * t];
    row[2 * t + 1] = s[2 * t + 1];
}
