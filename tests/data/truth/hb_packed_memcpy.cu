//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_packed_memcpy<<<2, 96>>>(a, b, f, d, v, c, idx, 1)
struct __attribute__((packed)) hb_packed_memcpy_pk { unsigned char tag; unsigned short len; int off; };
struct hb_packed_memcpy_al { int w[4]; short h[4]; };
extern "C" __global__ void hb_packed_memcpy(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const hb_packed_memcpy_pk *p = (const hb_packed_memcpy_pk *)c;
    hb_packed_memcpy_pk r = p[t];
    r.off += r.len;
    r.tag ^= 0x5a;
    ((hb_packed_memcpy_pk *)(c + 65536))[t] = r;
    hb_packed_memcpy_al l;
    memcpy(&l, a + t * 6, sizeof(l));
    l.h[2] += l.h[0];
    long long u;
    memcpy(&u, c + 3 + t * 13, 8);
    l.w[1] ^= (int)(u >> 17);
    memcpy(b + t * 6, &l, sizeof(l));
    memset(c + 131072 + t * 24, t, 20);
    memset(v + 3000 + t, 0xff, sizeof(int4));
}
