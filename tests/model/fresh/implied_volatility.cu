// The volatility that a price of an option implies, by twenty halvings of an interval with the Black-Scholes formula.
//@ param   n = 1 << 19
//@ buffer  price  float[n] = hash(i) % 300 * 0.1 + 1
//@ buffer  strike float[n] = hash(i + 17) % 60 + 70
//@ buffer  years  float[n] = hash(i + 31) % 20 * 0.1 + 0.2
//@ buffer  vol    float[n]
//@ launch  implied<<<(n + 255) / 256, 256>>>(price, strike, years, vol, n)
__device__ float cnd(float d)
{
    return 0.5f * erfcf(-0.70710678f * d);
}

__device__ float call(float spot, float strike, float years, float rate, float vol)
{
    float root = vol * sqrtf(years);
    float d1 = (logf(spot / strike) + (rate + 0.5f * vol * vol) * years) / root;
    float d2 = d1 - root;
    return spot * cnd(d1) - strike * expf(-rate * years) * cnd(d2);
}

__global__ void implied(const float *price, const float *strike, const float *years, float *vol, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float p = price[i], k = strike[i], t = years[i];
    float low = 0.01f, high = 3.0f;
    for (int step = 0; step < 20; step++) {
        float mid = 0.5f * (low + high);
        if (call(100.0f, k, t, 0.02f, mid) < p)
            low = mid;
        else
            high = mid;
    }
    vol[i] = 0.5f * (low + high);
}
