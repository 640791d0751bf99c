// Eight reciprocals in a loop, each with ways of its own; the loop's first addition has a constant that is loaded before it.
//@ param  n = 20
//@ buffer out float[32]
//@ launch k<<<1, 32>>>(out, 0.75f, n)
extern "C" __global__ void k(float *out, float a, int n)
{
    float x = threadIdx.x * 0.01f;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 8; k++)
            x = __frcp_rn(x + a);
    out[threadIdx.x] = x;
}
