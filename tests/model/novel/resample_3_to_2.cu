// Resamples audio from 48 to 32 kHz by a polyphase filter: each of two
// phases has 24 taps in constant memory. A block stages its input in
// shared memory; four independent channels.
//@ param   m = 400000
//@ param   n = m / 3 * 2
//@ buffer  in  float[4 * m] = hash(i / 3) % 2000 * 0.001 - 1
//@ buffer  out float[4 * n]
//@ launch  resample<<<dim3((n + 511) / 512, 4), 256>>>(in, out, m, n)
#define TAPS 24
#define OUT 512
#define SPAN (OUT * 3 / 2 + TAPS)

__constant__ float taps[2][TAPS] = {
    {-.0006f, .0011f, .0018f, -.0043f, -.0029f, .0107f, .0021f, -.0219f,
     .0042f, .0402f, -.0233f, -.0757f, .0861f, .3117f, .3974f, .2513f,
     .0298f, -.0731f, -.0145f, .0354f, .0019f, -.0154f, .0025f, .0038f},
    {.0038f, .0025f, -.0154f, .0019f, .0354f, -.0145f, -.0731f, .0298f,
     .2513f, .3974f, .3117f, .0861f, -.0757f, -.0233f, .0402f, .0042f,
     -.0219f, .0021f, .0107f, -.0029f, -.0043f, .0018f, .0011f, -.0006f}};

__global__ void resample(const float *in, float *out, int m, int n)
{
    __shared__ float s[SPAN];

    in += (size_t)blockIdx.y * m;
    out += (size_t)blockIdx.y * n;
    int first = blockIdx.x * OUT;
    int base = first / 2 * 3 - TAPS / 2;
    for (int e = threadIdx.x; e < SPAN; e += blockDim.x) {
        int at = base + e;
        s[e] = at >= 0 && at < m ? in[at] : 0.0f;
    }
    __syncthreads();

    // The threads of a half have the same phase, so that all of a warp
    // read the same tap.
    int phase = threadIdx.x / 128;
    for (int k = threadIdx.x % 128; k < OUT / 2; k += 128) {
        const float *x = s + 3 * k + phase;
        float sum = 0.0f;
#pragma unroll
        for (int j = 0; j < TAPS; j++)
            sum += taps[phase][j] * x[j];
        int at = first + 2 * k + phase;
        if (at < n)
            out[at] = sum;
    }
}
