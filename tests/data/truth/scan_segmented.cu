//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch scan_segmented<<<3, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void scan_segmented(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int lane = threadIdx.x & 31;
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    unsigned le = 0xffffffffu >> (31 - lane);
    int carry = 0;
    for (int chunk = 0; chunk < 5; chunk++) {
        int i = (warp * 5 + chunk) * 32 + lane;
        unsigned heads = __ballot_sync(0xffffffffu, (idx[i] & 15) == 0);
        int x = a[i] & 255;
        unsigned mine = heads & le;
        int start = mine ? 31 - __clz(mine) : 0;
        for (int off = 1; off < 32; off <<= 1) {
            int y = __shfl_up_sync(0xffffffffu, x, off);
            if (lane - off >= start) x += y;
        }
        if (mine == 0) x += carry;
        b[i] = x;
        carry = __shfl_sync(0xffffffffu, x, 31);
    }
}
