//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_struct12_cross<<<3, 100>>>(a, b, f, d, v, c, idx, 1)
struct hb_struct12_cross_vec { float x, y, z; };
extern "C" __global__ void hb_struct12_cross(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const hb_struct12_cross_vec *p = (const hb_struct12_cross_vec *)f;
    hb_struct12_cross_vec *o = (hb_struct12_cross_vec *)(f + 120000);
    hb_struct12_cross_vec u = p[t], w = p[t + 7];
    hb_struct12_cross_vec r;
    r.x = u.y * w.z - u.z * w.y;
    r.y = u.z * w.x - u.x * w.z;
    r.z = u.x * w.y - u.y * w.x;
    o[t ^ 3] = r;
    b[t] = (int)(r.x + r.y + r.z);
}
