//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_sync_votes<<<3, 80>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_sync_votes(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int s[80];
    int i = threadIdx.x, x = idx[t];
    s[i] = x;
    int k = __syncthreads_count(x & 1);
    int y = s[79 - i];
    int all = __syncthreads_and(y < 4000);
    s[i] = y + k;
    int any = __syncthreads_or(x > 4080 || y == 7);
    int r = s[(i + 40) % 80];
    int round = 0;
    while (__syncthreads_count(r > 64) > 10) {
        r >>= 1;
        ++round;
    }
    b[t] = r + k * 100 + all * 20000 + any * 40000;
    b[1000 + t] = round;
}
