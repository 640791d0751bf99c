//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_atom_old_unique<<<2, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_atom_old_unique(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int p = (t * 45 + 7) & 255;
    int o1 = atomicAdd(&a[p], t);
    int o2 = atomicExch(&a[1000 + p * 3], t);
    int o3 = atomicCAS(&a[3000 + t], (t & 1) ? ((3000 + t) * 7 + 3) & 4095 : -1, t * 2);
    unsigned o4 = atomicInc((unsigned *)&a[5000 + t], 2000u);
    unsigned o5 = atomicDec((unsigned *)&b[p], 90u);
    int o6 = (t % 3) ? atomicAnd(&a[6000 + (t ^ 9)], 0xf0f) : atomicXor(&a[7000 + t * 2], -1);
    int o7 = atomicMin(&a[8000 + t], 2000) + atomicMax(&a[9000 + t * 33], 2000);
    v[30000 + t] = make_int4(o1 - o2, o3, (int)(o4 ^ o5), o6 + o7);
}
