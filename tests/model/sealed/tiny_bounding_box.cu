// The box around 7000 points of three floats each, by one block: every
// thread takes each 1024th point, then shuffles, then the first warp.
//@ param   n = 7000
//@ buffer  p   float3[n] = hash(i) % 10000 * 0.1
//@ buffer  box float[6]
//@ launch  boundingBox<<<1, 1024>>>(p, box, n)
__global__ __launch_bounds__(1024)
void boundingBox(const float3 *p, float *box, int n)
{
    __shared__ float s[6][32];

    float low[3] = {1e30f, 1e30f, 1e30f};
    float high[3] = {-1e30f, -1e30f, -1e30f};
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float3 v = p[i];
        low[0] = fminf(low[0], v.x), high[0] = fmaxf(high[0], v.x);
        low[1] = fminf(low[1], v.y), high[1] = fmaxf(high[1], v.y);
        low[2] = fminf(low[2], v.z), high[2] = fmaxf(high[2], v.z);
    }
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int a = 0; a < 3; a++) {
        for (int d = 16; d > 0; d /= 2) {
            low[a] = fminf(low[a], __shfl_down_sync(~0u, low[a], d));
            high[a] = fmaxf(high[a], __shfl_down_sync(~0u, high[a], d));
        }
        if (lane == 0) {
            s[a][warp] = low[a];
            s[3 + a][warp] = high[a];
        }
    }
    __syncthreads();
    if (warp < 6) {
        float v = s[warp][lane];
        for (int d = 16; d > 0; d /= 2) {
            float o = __shfl_down_sync(~0u, v, d);
            v = warp < 3 ? fminf(v, o) : fmaxf(v, o);
        }
        if (lane == 0)
            box[warp] = v;
    }
}
