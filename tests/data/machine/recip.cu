// Each reciprocal has a quick way, in line, and a slow one, a call: none of the loop's machine blocks has half of it.
//@ param  n = 20
//@ buffer out float[32]
//@ launch k<<<1, 32>>>(out, n)
extern "C" __global__ void k(float *out, int n)
{
    float x = 0.5f + threadIdx.x * 0.01f;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 8; k++)
            x = __frcp_rn(x);
    out[threadIdx.x] = x;
}
