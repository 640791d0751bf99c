// Fourier transforms of 4096 complex numbers, one a block of 128 threads, all steps of radix 2 in shared memory.
//@ param   batch = 256
//@ buffer  in  float2[batch * 4096] = (i * i / 4096 % 61) * 0.1
//@ buffer  out float2[batch * 4096]
//@ launch  fft<<<batch, 128, 4096 * 8>>>(in, out)
__global__ void fft(const float2 *in, float2 *out)
{
    extern __shared__ float2 s[];
    in += blockIdx.x * 4096;
    out += blockIdx.x * 4096;

    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        s[__brev(i) >> 20] = in[i];
    __syncthreads();

    for (int half = 1; half < 4096; half *= 2) {
        for (int b = threadIdx.x; b < 2048; b += blockDim.x) {
            int k = b & (half - 1);
            int lo = 2 * (b - k) + k;
            int hi = lo + half;
            float sn, cs;
            sincospif(-(float)k / half, &sn, &cs);
            float2 p = s[lo], q = s[hi];
            float2 t = make_float2(cs * q.x - sn * q.y, cs * q.y + sn * q.x);
            s[lo] = make_float2(p.x + t.x, p.y + t.y);
            s[hi] = make_float2(p.x - t.x, p.y - t.y);
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        out[i] = s[i];
}
