// Loads in arms that the assembler executes under predicates: it issues all of them before the first result is stored.
//@ param  n = 64
//@ buffer x float[n * 3] = i
//@ buffer y float[n] = 0
//@ launch k<<<1, 64>>>(x, y, n)
extern "C" __global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[72];
    int t = threadIdx.x;
    s[t + 4] = x[t + n];
    if (t < 4)
        s[t] = x[t + n - 4];
    if (t >= 60)
        s[t + 8] = x[t + n + 4];
    __syncthreads();
    y[t] = s[t] + s[t + 4] + s[t + 8];
}
