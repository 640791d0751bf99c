// One block of 256 threads has 4000 rounds over shared memory with barriers, the others four.
//@ param   n = 1 << 18
//@ buffer  x float[n] = i & 15
//@ buffer  out float[n]
//@ launch  k<<<n / 256, 256>>>(x, out)
extern "C" __global__ void k(const float *x, float *out)
{
    __shared__ float tile[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, rounds = blockIdx.x == 700 ? 4000 : 4;
    float sum = 0;
    for (int r = 0; r < rounds; r++) {
        tile[t] = x[(i + r * 32) & ((1 << 18) - 1)];
        __syncthreads();
        for (int j = 0; j < 8; j++)
            sum += tile[(t + j * 31) & 255];
        __syncthreads();
    }
    out[i] = sum;
}
