//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch partial_warp<<<5, 77>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void partial_warp(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ int sums[3];
    int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    int live = min(32, (int)blockDim.x - warp * 32);
    unsigned mask = live == 32 ? 0xffffffffu : (1u << live) - 1;
    int x = a[blockIdx.x * blockDim.x + tid];
    for (int off = 16; off > 0; off >>= 1) {
        int y = __shfl_down_sync(mask, x, off);
        if (lane + off < live)
            x += y;
    }
    if (lane == 0)
        sums[warp] = x;
    int odd = __popc(__ballot_sync(mask, x & 1));
    __syncthreads();
    if (tid < 3)
        b[blockIdx.x * 3 + tid] = sums[0] + sums[1] * (tid > 0) + sums[2] * (tid > 1);
    b[100 + blockIdx.x * blockDim.x + tid] = odd + __all_sync(mask, x > 50);
}
