//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch compact_ballot<<<6, 256>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void compact_ballot(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ int offs[9];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int g = blockIdx.x * 256 + threadIdx.x;
    int x = idx[g];
    bool keep = (x % 3) == 0 && x < 3500;
    unsigned vote = __ballot_sync(0xffffffffu, keep);
    if (lane == 0)
        offs[warp + 1] = __popc(vote);
    if (threadIdx.x == 0)
        offs[0] = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int w = 1; w <= 8; w++)
            offs[w] += offs[w - 1];
    __syncthreads();
    if (keep) {
        int pos = offs[warp] + __popc(vote & ((1u << lane) - 1u));
        b[blockIdx.x * 256 + pos] = x;
    }
    if (threadIdx.x == 0)
        b[10000 + blockIdx.x] = offs[8];
}
