//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_struct48_neighbour<<<2, 96>>>(a, b, f, d, v, c, idx, 1)
struct hb_struct48_neighbour_cell { int4 h; float2 g; double m; int4 e; };
extern "C" __global__ void hb_struct48_neighbour(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    hb_struct48_neighbour_cell *o = (hb_struct48_neighbour_cell *)(v + 100000) + blockIdx.x * blockDim.x;
    int i = threadIdx.x;
    hb_struct48_neighbour_cell x;
    x.h = v[t];
    x.g = ((const float2 *)f)[t + 1];
    x.m = d[t * 2];
    x.e = make_int4(t, i, a[t], idx[t]);
    o[i] = x;
    __syncthreads();
    const hb_struct48_neighbour_cell &y = o[(i + 33) % 96];
    b[t] = y.h.y + y.e.z + (int)(y.g.y * 2.0f) + (int)y.m;
    b[1024 + t] = o[95 - i].e.w;
}
