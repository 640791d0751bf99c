//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch rec_switch_loop<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void rec_switch_loop(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int x = idx[t], s = 0;
    #pragma unroll 1
    for (int i = 0; i < 16; i++) {
        switch ((x >> (i & 7)) & 3) {
        case 0: s += a[(x + i) & 4095]; break;
        case 1: s -= a[(x * 3 + i) & 4095]; if (s < -9000) goto out; break;
        case 2: s ^= a[4096 + ((x + i) & 4095)]; continue;
        default: s += 2;
        }
        s += a[8192 + ((t + i) & 4095)];
    }
out:
    b[t] = s;
}
