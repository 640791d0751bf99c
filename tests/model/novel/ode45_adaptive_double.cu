// Follows 3000 pendulums that are driven, by the method of Dormand and
// Prince of fifth order in double precision; each chooses its steps by
// itself, so that the error of one stays below 1e-7.
//@ param   n = 3000
//@ buffer  start double[n] = 0.1 + i % 97 * 0.03
//@ buffer  angle double[n]
//@ buffer  steps int[n]
//@ launch  pendulums<<<(n + 63) / 64, 64>>>(start, angle, steps, n, 2.0)
struct State {
    double a, v;
};

__device__ __forceinline__ State slope(double t, State s)
{
    return {s.v, -sin(s.a) - 0.2 * s.v + 0.9 * cos(0.67 * t)};
}

__device__ __forceinline__ State plus(State s, double h, State k)
{
    return {s.a + h * k.a, s.v + h * k.v};
}

__global__ void pendulums(const double *start, double *angle, int *steps,
                          int n, double end)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    State s = {start[i], 0.0};
    double t = 0.0, h = 0.1;
    int count = 0;
    while (t < end && count < 500) {
        if (t + h > end)
            h = end - t;
        State k1 = slope(t, s);
        State k2 = slope(t + h / 5, plus(s, h / 5, k1));
        State y = plus(plus(s, h * 3 / 40, k1), h * 9 / 40, k2);
        State k3 = slope(t + h * 3 / 10, y);
        y = plus(plus(plus(s, h * 44 / 45, k1), -h * 56 / 15, k2),
                 h * 32 / 9, k3);
        State k4 = slope(t + h * 4 / 5, y);
        y = plus(plus(s, h * 19372 / 6561, k1), -h * 25360 / 2187, k2);
        y = plus(plus(y, h * 64448 / 6561, k3), -h * 212 / 729, k4);
        State k5 = slope(t + h * 8 / 9, y);
        y = plus(plus(s, h * 9017 / 3168, k1), -h * 355 / 33, k2);
        y = plus(plus(y, h * 46732 / 5247, k3), h * 49 / 176, k4);
        y = plus(y, -h * 5103 / 18656, k5);
        State k6 = slope(t + h, y);
        y = plus(plus(s, h * 35 / 384, k1), h * 500 / 1113, k3);
        y = plus(plus(y, h * 125 / 192, k4), -h * 2187 / 6784, k5);
        y = plus(y, h * 11 / 84, k6);
        State k7 = slope(t + h, y);

        double e1 = h * (71.0 / 57600 * k1.a - 71.0 / 16695 * k3.a +
                         71.0 / 1920 * k4.a - 17253.0 / 339200 * k5.a +
                         22.0 / 525 * k6.a - 1.0 / 40 * k7.a);
        double e2 = h * (71.0 / 57600 * k1.v - 71.0 / 16695 * k3.v +
                         71.0 / 1920 * k4.v - 17253.0 / 339200 * k5.v +
                         22.0 / 525 * k6.v - 1.0 / 40 * k7.v);
        double error = fmax(fabs(e1), fabs(e2)) * 1e7 + 1e-12;
        count++;
        if (error <= 1.0) {
            t += h;
            s = y;
        }
        h *= fmin(4.0, fmax(0.2, 0.9 * pow(error, -0.2)));
    }
    angle[i] = s.a;
    steps[i] = count;
}
