//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_vec16_offset<<<2, 96>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_vec16_offset(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int4 x = v[t + 3];
    int4 y = v[(t ^ 5) * 2 + 1];
    int4 z = v[191 - t];
    int4 r = make_int4(x.x + y.y, x.y - z.w, y.z ^ z.x, x.w * 3 + y.x);
    v[100000 + t * 7 % 192] = r;
    v[110000 + t * 3] = make_int4(r.w, r.z, r.y, r.x);
    if ((t & 7) > 2)
        ((int2 *)b)[t + 1] = make_int2(r.x, z.z);
}
