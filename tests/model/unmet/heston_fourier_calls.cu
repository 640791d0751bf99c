// Prices call options when volatility is itself random (Heston), by integrating the
// characteristic function of the logarithm of the price. A thread has an option with its
// own strike and maturity and adds up 48 points; complex square roots, logarithms and
// exponentials dominate.
//@ param   n = 9500
//@ buffer  strike float[n] = 60 + hash(i) % 8000 * 0.01
//@ buffer  years float[n] = 0.1 + hash(i + 3) % 300 * 0.01
//@ buffer  call float[n]
//@ launch  price<<<(n + 95) / 96, 96>>>(strike, years, call, n)
struct complex {
    float re, im;
};

__device__ complex operator+(complex a, complex b) { return {a.re + b.re, a.im + b.im}; }
__device__ complex operator-(complex a, complex b) { return {a.re - b.re, a.im - b.im}; }
__device__ complex operator*(float a, complex b) { return {a * b.re, a * b.im}; }
__device__ complex operator*(complex a, complex b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
__device__ complex operator/(complex a, complex b)
{
    float scale = 1.0f / (b.re * b.re + b.im * b.im);
    return {(a.re * b.re + a.im * b.im) * scale, (a.im * b.re - a.re * b.im) * scale};
}
__device__ complex exponential(complex a)
{
    float size = expf(a.re), sine, cosine;
    sincosf(a.im, &sine, &cosine);
    return {size * cosine, size * sine};
}
__device__ complex logarithm(complex a)
{
    return {0.5f * logf(a.re * a.re + a.im * a.im), atan2f(a.im, a.re)};
}
__device__ complex square_root(complex a)
{
    float size = sqrtf(a.re * a.re + a.im * a.im);
    float re = sqrtf(fmaxf(0.5f * (size + a.re), 0.0f));
    float im = sqrtf(fmaxf(0.5f * (size - a.re), 0.0f));
    return {re, copysignf(im, a.im)};
}

__device__ complex characteristic(complex u, float t, float log_spot)
{
    const float rate = 0.02f, back = 1.5f, mean = 0.04f, spread = 0.4f, tie = -0.7f;
    const float now = 0.05f;
    complex i_u = {-u.im, u.re};
    complex b = complex{back, 0} - tie * spread * i_u;
    complex d = square_root(b * b + spread * spread * (i_u + u * u));
    complex g = (b - d) / (b + d);
    complex fading = exponential(-t * d);
    complex one = {1, 0};
    complex left = one - g * fading;
    complex drift = (log_spot + rate * t) * i_u;
    complex level = back * mean / (spread * spread)
        * (t * (b - d) - 2.0f * logarithm(left / (one - g)));
    complex start = now / (spread * spread) * ((b - d) * (one - fading) / left);
    return exponential(drift + level + start);
}

__global__ void price(const float *strike, const float *years, float *call, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    const float spot = 100.0f, rate = 0.02f, width = 1.25f;
    float k = strike[i], t = years[i];
    float log_spot = logf(spot), log_strike = logf(k), forward = spot * expf(rate * t);
    float above = 0, delta = 0;
    for (int point = 0; point < 48; point++) {
        float u = (point + 0.5f) * width;
        complex turn = exponential({0, -u * log_strike});
        complex under = {0, u};
        above += (turn * characteristic({u, 0}, t, log_spot) / under).re;
        complex moved = characteristic({u, -1}, t, log_spot);
        delta += (turn * moved / (forward * under)).re;
    }
    const float over_pi = 0.318309886f * width;
    float paid = k * expf(-rate * t);
    call[i] = spot * (0.5f + over_pi * delta) - paid * (0.5f + over_pi * above);
}
