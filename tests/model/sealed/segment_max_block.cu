// The largest of each of 2000 segments and where it is, a block of 128 to
// each; most have 300 elements, one in 40 has 20300.
//@ param   segments = 2000
//@ param   n = segments * 300 + (segments + 39) / 40 * 20000
//@ buffer  start int[segments + 1] = i * 300 + (i + 39) / 40 * 20000
//@ buffer  x     float[n] = hash(i) % 9999991
//@ buffer  most  float[segments]
//@ buffer  place int[segments]
//@ launch  segmentMax<<<segments, 128>>>(start, x, most, place)
__global__ void segmentMax(const int *start, const float *x, float *most,
                           int *place)
{
    __shared__ float v[128];
    __shared__ int p[128];

    int t = threadIdx.x;
    int end = start[blockIdx.x + 1];
    float best = -1.0f;
    int at = -1;
    for (int i = start[blockIdx.x] + t; i < end; i += 128) {
        float now = x[i];
        if (now > best) {
            best = now;
            at = i;
        }
    }
    v[t] = best;
    p[t] = at;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half && v[t + half] > v[t]) {
            v[t] = v[t + half];
            p[t] = p[t + half];
        }
        __syncthreads();
    }
    if (t == 0) {
        most[blockIdx.x] = v[0];
        place[blockIdx.x] = p[0];
    }
}
