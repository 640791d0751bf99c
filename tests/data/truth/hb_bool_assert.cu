//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_bool_assert<<<2, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_bool_assert(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ bool odd[128], seen[32];
    bool loc[8];
    int i = threadIdx.x;
    odd[i] = a[t] & 1;
    if (i < 32)
        seen[i] = false;
    __syncthreads();
    if ((i & 3) == 1 && (idx[t] & 256))
        seen[i >> 2] = true;
    for (int k = 0; k < 8; ++k)
        loc[k] = odd[(i + k * 5) & 127] != (k > 3);
    __syncthreads();
    bool r = loc[idx[t] & 7] && !seen[i & 31];
    assert(idx[t] >= 0 && idx[t] < 4096);
    assert(b[t] == 0);
    bool *o = (bool *)c + 70000;
    o[t] = r || odd[127 - i];
    b[t] = r + loc[3] * 2 + seen[i & 31] * 4;
}
