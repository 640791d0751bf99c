//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch rec_nested_loop_break<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void rec_nested_loop_break(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int x = idx[t], s = 0;
    #pragma unroll 1
    for (int i = 0; i < 6; i++) {
        #pragma unroll 1
        for (int j = 0; j < 8; j++) {
            s += a[(x + 8 * i + j) & 4095];
            if ((s & 7) == (t & 7)) break;
            if ((s & 63) == 9) goto done;
        }
        s += a[4096 + ((t + i) & 4095)];
    }
done:
    b[t] = s;
}
