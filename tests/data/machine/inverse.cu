// A reciprocal in a loop, of which the quick way has most of the machine code's weight, in a region that lies in the loop's.
//@ param  n = 20
//@ buffer out float[32]
//@ launch k<<<1, 32>>>(out, 0.75f, n)
extern "C" __global__ void k(float *out, float a, int n)
{
    float x = threadIdx.x * 0.01f;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        x = __frcp_rn(x + a);
    out[threadIdx.x] = x;
}
