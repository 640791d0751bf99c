//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hist_matched<<<5, 96>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hist_matched(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int lane = threadIdx.x & 31;
    int base = (blockIdx.x * blockDim.x + threadIdx.x) * 3;
    for (int k = 0; k < 3; k++) {
        int key = idx[base + k] % 11;
        unsigned peers = __match_any_sync(0xffffffffu, key);
        int leader = __ffs(peers) - 1;
        if (lane == leader)
            atomicAdd(&b[key], __popc(peers));
        int rank = __popc(peers & ((1u << lane) - 1));
        b[1024 + base + k] = rank;
    }
}
