//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_atom_float_double<<<4, 64>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_atom_float_double(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&f[3], (float)(t & 7));
    atomicAdd(&f[64 + (t & 3) * 5], 2.0f);
    atomicAdd(&d[11], (double)(idx[t] & 255));
    if (t & 1)
        atomicAdd(&d[100 + (t >> 3)], 0.5);
    float o = atomicAdd(&f[2000 + t * 9], 0.25f);
    double q = atomicAdd(&d[3000 + (t ^ 15)], -1.0);
    float e = atomicExch(&f[9000 + ((t * 3) & 255)], (float)t);
    d[20000 + t] = q * 2.0 + o;
    f[20000 + t] = e - o;
}
