//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch radix_split<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void radix_split(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ int key[128], wsum[4];
    int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    key[tid] = a[blockIdx.x * 900 + tid * 5];
    __syncthreads();
    for (int bit = 0; bit < 12; bit++) {
        int k = key[tid];
        int zero = !((k >> bit) & 1);
        unsigned bal = __ballot_sync(0xffffffffu, zero);
        if (lane == 0) wsum[warp] = __popc(bal);
        __syncthreads();
        int before = __popc(bal & ((1u << lane) - 1)), total = 0;
        for (int w = 0; w < 4; w++) {
            if (w < warp) before += wsum[w];
            total += wsum[w];
        }
        int dest = zero ? before : total + tid - before;
        key[dest] = k;
        __syncthreads();
    }
    b[blockIdx.x * 128 + tid] = key[tid];
}
