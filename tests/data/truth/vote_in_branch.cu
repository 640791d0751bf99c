//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch vote_in_branch<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void vote_in_branch(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    int x = c[t], lane = l & 31; unsigned r; if (lane < 13) r = __ballot_sync(0x1fffu, x > 99); else if (lane < 20) r = __any_sync(0xfe000u, x > 240) * 2; else r = __all_sync(0xfff00000u, x > 3) * 5 + 1; b[t] = r;
}
