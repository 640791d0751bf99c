//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch sort_oddeven<<<4, 48>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void sort_oddeven(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ short s[96];
    __shared__ int swapped;
    int tid = threadIdx.x;
    const short2 *src = (const short2 *)idx + blockIdx.x * 48;
    short2 p = src[tid];
    s[2 * tid] = p.x;
    s[2 * tid + 1] = p.y + (short)(3 * tid);
    __syncthreads();
    int rounds = 0;
    do {
        if (tid == 0) swapped = 0;
        __syncthreads();
        for (int phase = 0; phase < 2; phase++) {
            int i = 2 * tid + phase;
            if (i + 1 < 96 && s[i] > s[i + 1]) {
                short t = s[i];
                s[i] = s[i + 1];
                s[i + 1] = t;
                atomicOr(&swapped, 1);
            }
            __syncthreads();
        }
        int again = swapped;
        __syncthreads();
        rounds++;
        if (!again) break;
    } while (rounds < 96);
    ((short2 *)b)[blockIdx.x * 48 + tid] = make_short2(s[2 * tid], s[2 * tid + 1]);
    if (tid == 0) b[1000 + blockIdx.x] = rounds;
}
