//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch lower_bound<<<8, 128>>>(a, b, f, d, v, c, idx, 1)
static __device__ int lower_bound_find(const int *__restrict__ keys, int count, int key)
{
    int first = 0;
    while (count > 0) {
        int half = count / 2;
        if (__ldg(&keys[first + half]) < key) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

extern "C" __global__ void lower_bound(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int key = idx[t];
    int p = lower_bound_find(a, 500, key);
    b[t] = p < 500 && a[p] == key ? p : ~p;
}
