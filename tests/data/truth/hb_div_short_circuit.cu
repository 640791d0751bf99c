//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_div_short_circuit<<<2, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_div_short_circuit(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int x = idx[t], r = 0;
    if (x > 1000 && a[x] < 3000 && (c[t] & 1))
        r |= 1;
    if (x < 300 || f[x] > 700.0f || idx[x] < 2000)
        r |= 2;
    if (!(x & 4) && (d[x] == 5.0 || (a[x + 1] & 2)))
        r |= 4;
    int y = (x & 8) ? a[t + 512] : b[4096 + t];
    double z = x > 2048 ? d[x] : (double)f[t];
    y += (r == 7) ? v[t].z : (r & 1) ? c[x] : x;
    b[t] = r * 65536 + y;
    d[8000 + t] = (r && z > 10.0) ? z * 2.0 : -1.0;
}
