// Prints, and gets numbers of every kind.
//@ param   n = 1 << 5
//@ buffer  x float[n] = i * 0.5
//@ buffer  v int4[n] = i
//@ launch  show<<<1, n>>>(x, v, n, 2.5, n * 1ll)
extern "C" __global__ void show(float *x, int4 *v, int n, float factor, long long big)
{
    int i = threadIdx.x;
    x[i] = x[i] * factor + (float)big;
    if (i == n - 1)
        printf("lane %d: %.2f, %d %d\n", i, x[i], v[i].x, v[i].w);
}
