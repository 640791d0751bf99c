// Draws from a distribution over 2^18 outcomes with an alias table of 2 MB; every thread draws 16 times.
//@ param   n = 1 << 20
//@ param   outcomes = 1 << 18
//@ buffer  threshold float[outcomes] = hash(i) % 1000 * 0.001
//@ buffer  alias     int[outcomes] = hash(i + 3) % outcomes
//@ buffer  mean      float[n]
//@ launch  draw<<<n / 256, 256>>>(threshold, alias, mean, outcomes)
__device__ __forceinline__ unsigned next(unsigned &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

__global__ void draw(const float *threshold, const int *alias, float *mean, int outcomes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = i * 747796405u + 2891336453u;
    float sum = 0;
    for (int k = 0; k < 16; k++) {
        int slot = next(state) & (outcomes - 1);
        float u = (next(state) >> 8) * (1.0f / 16777216.0f);
        int drawn = u < threshold[slot] ? slot : alias[slot];
        sum += drawn;
    }
    mean[i] = sum / 16;
}
