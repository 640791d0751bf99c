// The price of options to buy and to sell.
//@ param   n = 1 << 21
//@ buffer  price  float[n] = (hash(i) % 2500) * 0.01 + 5
//@ buffer  strike float[n] = (hash(i + 1) % 9900) * 0.01 + 1
//@ buffer  years  float[n] = (hash(i + 2) % 975) * 0.01 + 0.25
//@ buffer  call   float[n]
//@ buffer  put    float[n]
//@ launch  options<<<n / 128, 128>>>(
//@             price, strike, years, call, put, 0.02, 0.30)
__device__ float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float tail = 0.39894228f * expf(-0.5f * d * d) * k *
                 (0.31938153f +
                  k * (-0.356563782f +
                       k * (1.781477937f +
                            k * (-1.821255978f + k * 1.330274429f))));
    return d > 0 ? 1.0f - tail : tail;
}

extern "C" __global__ void options(const float *price,
                                   const float *strike,
                                   const float *years, float *call,
                                   float *put, float rate, float sigma)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = price[i], x = strike[i], t = years[i];
    float root = sqrtf(t);
    float d1 = (logf(s / x) + (rate + 0.5f * sigma * sigma) * t) /
               (sigma * root);
    float d2 = d1 - sigma * root;
    float discounted = x * expf(-rate * t);
    float n1 = normal(d1), n2 = normal(d2);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1 - n2) - s * (1 - n1);
}
