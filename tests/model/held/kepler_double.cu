// Solves Kepler's equation by Newton's method, in double precision and
// with the library's sine and cosine.
//@ param   n = 1 << 18
//@ buffer  mean    double[n] = (i % 6283) * 0.001
//@ buffer  anomaly double[n]
//@ launch  solve<<<n / 128, 128>>>(mean, anomaly, 0.6)
extern "C" __global__ void solve(const double *mean, double *anomaly,
                                 double eccentricity)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double m = mean[i], e = m;
    for (int round = 0; round < 50; round++) {
        double s = sin(e), c = cos(e);
        double step =
            (e - eccentricity * s - m) / (1 - eccentricity * c);
        e -= step;
        if (fabs(step) < 1e-12)
            break;
    }
    anomaly[i] = e;
}
