// Arms that are executed under a predicate, words that are loaded together, shuffles after a condition that may part
// the threads. Two warps: both execute the arms, one leaves before the last store.
//@ param  n = 64
//@ buffer x float[n] = i
//@ buffer y float[1]
//@ launch k<<<1, 64>>>(x, y, n)
extern "C" __global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    if (t < 32)
        s[t] += s[t + 32];
    __syncthreads();
    float v = 0;
    for (int i = t & 31; i < n / 2; i += 32)
        v += s[i];
    for (int o = 16; o; o /= 2)
        v += __shfl_xor_sync(0xffffffff, v, o);
    if (t == 0)
        *y = v + s[0] + s[1] + s[2] + s[3];
}
