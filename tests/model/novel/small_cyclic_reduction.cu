// Solves 40 tridiagonal systems of 256 unknowns in double precision by
// parallel cyclic reduction: in eight steps each equation gets rid of the
// neighbours at twice the distance. A block has a system.
//@ param   systems = 40
//@ buffer  rhs double[systems * 256] = hash(i) % 100 * 0.1
//@ buffer  x   double[systems * 256]
//@ launch  solve<<<systems, 256>>>(rhs, x)
#define N 256

__global__ void solve(const double *rhs, double *x)
{
    __shared__ double a[N], b[N], c[N], d[N];
    int t = threadIdx.x;

    a[t] = t > 0 ? -1.0 : 0.0;
    b[t] = 2.5;
    c[t] = t < N - 1 ? -1.0 : 0.0;
    d[t] = rhs[blockIdx.x * N + t];
    __syncthreads();

    for (int stride = 1; stride < N; stride *= 2) {
        int low = max(t - stride, 0), high = min(t + stride, N - 1);
        double k1 = t >= stride ? a[t] / b[low] : 0.0;
        double k2 = t + stride < N ? c[t] / b[high] : 0.0;
        double na = -a[low] * k1;
        double nb = b[t] - c[low] * k1 - a[high] * k2;
        double nc = -c[high] * k2;
        double nd = d[t] - d[low] * k1 - d[high] * k2;
        __syncthreads();
        a[t] = na;
        b[t] = nb;
        c[t] = nc;
        d[t] = nd;
        __syncthreads();
    }
    x[blockIdx.x * N + t] = d[t] / b[t];
}
