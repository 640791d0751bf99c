// Prices of options by Black and Scholes, with the library's functions.
//@ param n = 1 << 17
//@ buffer price float[n] = 5 + (hash(i) & 15)
//@ buffer strike float[n] = 1 + (hash(i + 1) & 63)
//@ buffer years float[n] = 1 + (hash(i + 2) & 7)
//@ buffer call float[n]
//@ buffer put float[n]
//@ launch value<<<n / 128, 128>>>(price, strike, years, call, put)
__device__ float below(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float tail = 0.39894228f * expf(-0.5f * d * d) *
                 (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - tail : tail;
}
extern "C" __global__ void value(const float *price, const float *strike, const float *years, float *call, float *put)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    float s = price[i], x = strike[i], t = years[i], rate = 0.02f, spread = 0.3f, root = sqrtf(t);
    float d = (logf(s / x) + (rate + 0.5f * spread * spread) * t) / (spread * root), e = d - spread * root;
    float now = x * expf(-rate * t);
    call[i] = s * below(d) - now * below(e);
    put[i] = now * (1 - below(e)) - s * (1 - below(d));
}
