//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch lcg_skip<<<4, 96>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void lcg_skip(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long mul = 6364136223846793005ULL, add = 1442695040888963407ULL;
    unsigned long long am = 1, ap = 0;
    for (unsigned delta = t * 10u; delta > 0; delta >>= 1) {
        if (delta & 1) {
            am *= mul;
            ap = ap * mul + add;
        }
        add = (mul + 1) * add;
        mul *= mul;
    }
    unsigned long long s = am * 42ULL + ap;
    int faces[2] = {0, 0};
    for (int i = 0; i < 10; i++) {
        unsigned die = (unsigned)(s >> 33) % 6u + 1u;
        faces[die & 1] += die;
        s = s * 6364136223846793005ULL + 1442695040888963407ULL;
    }
    ((int2 *)b)[t] = make_int2(faces[0], faces[1]);
    ((unsigned long long *)d)[t] = s;
}
