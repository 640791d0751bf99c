//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch crc_table<<<3, 64>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void crc_table(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ unsigned table[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        unsigned r = i;
        for (int k = 0; k < 8; k++)
            r = r & 1 ? (r >> 1) ^ 0xEDB88320u : r >> 1;
        table[i] = r;
    }
    __syncthreads();
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned char *msg = c + t * 40;
    int len = 8 + (idx[t] & 31);
    unsigned crc = 0xFFFFFFFFu;
    for (int i = 0; i < len; i++)
        crc = table[(crc ^ msg[i]) & 0xFF] ^ (crc >> 8);
    b[t] = (int)~crc;
}
