// Sixteen warps among 32768 sum 4096 rows of 32 floats; the others one.
//@ param   n = 1 << 20
//@ buffer  x float[n] = i & 15
//@ buffer  out float[n]
//@ launch  k<<<n / 256, 256>>>(x, out)
extern "C" __global__ void k(const float *x, float *out)
{
    int i = blockIdx.x * 256 + threadIdx.x, warp = i / 32, lane = i % 32;
    int rows = warp % 2048 == 77 ? 4096 : 1;
    float s = 0;
    for (int j = 0; j < rows; j++)
        s += x[((warp + j) * 32 + lane) & ((1 << 20) - 1)];
    out[i] = s;
}
