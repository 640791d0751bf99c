//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_atom_one_addr<<<4, 96>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_atom_one_addr(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = t & 31;
    atomicAdd(&b[0], 1 + (t & 3));
    atomicMin(&a[100], idx[t] - 2000);
    atomicMax((unsigned *)&a[101], (unsigned)t * 77u);
    atomicAnd(&a[102], ~(1 << (lane & 3)));
    atomicOr(&a[103], 1 << (t % 29));
    atomicXor(&a[104], t * 0x1234567);
    atomicInc((unsigned *)&b[40], 37u);
    atomicDec((unsigned *)&b[41], 50u);
    if (lane % 5 == 2)
        atomicSub(&b[64 + (lane >> 3) * 9], t);
    if (lane < 7 || (t & 64))
        atomicAdd(&b[128 + t * 17], a[5000 + t]);
}
