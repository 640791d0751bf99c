//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch rle_heads<<<5, 192>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void rle_heads(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ unsigned char s[192];
    __shared__ int start[193];
    __shared__ unsigned votes[6];
    int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    s[tid] = c[blockIdx.x * 192 + tid] >> 7;
    __syncthreads();
    bool head = tid == 0 || s[tid] != s[tid - 1];
    unsigned bal = __ballot_sync(0xffffffffu, head);
    if (lane == 0) votes[warp] = bal;
    __syncthreads();
    int run = __popc(bal & ((1u << lane) - 1)), runs = 0;
    for (int w = 0; w < 6; w++) {
        runs += __popc(votes[w]);
        if (w < warp) run += __popc(votes[w]);
    }
    if (head) start[run] = tid;
    if (tid == 0) start[runs] = 192;
    __syncthreads();
    if (tid < runs)
        ((short2 *)b)[blockIdx.x * 192 + tid] = make_short2(s[start[tid]], start[tid + 1] - start[tid]);
}
