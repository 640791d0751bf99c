// Sorts 1024 keys in shared memory, two a thread.
//@ param n = 1 << 15
//@ buffer keys unsigned[n] = hash(i)
//@ launch sort<<<n / 1024, 512>>>(keys)
extern "C" __global__ void sort(unsigned *keys)
{
    __shared__ unsigned s[1024];
    keys += blockIdx.x * 1024;
    s[threadIdx.x] = keys[threadIdx.x];
    s[threadIdx.x + 512] = keys[threadIdx.x + 512];
    for (unsigned size = 2; size <= 1024; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            unsigned at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            bool up = (threadIdx.x & (size / 2)) == 0;
            unsigned a = s[at], b = s[at + stride];
            if ((a > b) == up) {
                s[at] = b;
                s[at + stride] = a;
            }
        }
    __syncthreads();
    keys[threadIdx.x] = s[threadIdx.x];
    keys[threadIdx.x + 512] = s[threadIdx.x + 512];
}
