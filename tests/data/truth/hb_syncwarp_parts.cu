//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_syncwarp_parts<<<2, 64>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_syncwarp_parts(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int s[64];
    int i = threadIdx.x, lane = i & 31;
    s[i] = a[t];
    __syncwarp();
    int r = 0;
    if (lane < 16) {
        r = s[i ^ 15];
        __syncwarp(0x0000ffffu);
        s[i] = r + 1;
        __syncwarp(0x0000ffffu);
        r += s[(i & 32) + ((lane + 1) & 15)];
        r += __shfl_xor_sync(0x0000ffffu, r, 4);
    } else if (lane < 24) {
        unsigned e = __ballot_sync(0x00ff0000u, s[i] & 4);
        r = (int)(e >> 16) + s[i ^ 7];
    } else {
        r = __shfl_down_sync(0xff000000u, s[i], 2);
    }
    __syncwarp();
    b[t] = r * 2 + s[i ^ 16];
}
