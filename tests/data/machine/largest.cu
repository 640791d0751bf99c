// Where the largest of 64 words is. The loop is unrolled: its first comparison is with a constant, and becomes a maximum.
//@ buffer  a   float[64 * 64] = hash(i) % 1000
//@ buffer  out int[64]
//@ launch  k<<<1, 64>>>(a, out)
extern "C" __global__ void k(const float *a, int *out)
{
    __shared__ float s[64 * 64];
    int t = threadIdx.x;
#pragma unroll 1
    for (int i = t; i < 64 * 64; i += 64)
        s[i] = a[i];
    float best = -1e30f;
    int at = 0;
#pragma unroll 8
    for (int i = 0; i < 64; i++) {
        float v = s[i * 64 + t];
        if (v > best) {
            best = v;
            at = i;
        }
    }
    out[t] = at;
}
