//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch merge_path<<<3, 96>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void merge_path(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ int A[200], B[184];
    int tid = threadIdx.x;
    for (int i = tid; i < 200; i += 96) A[i] = a[blockIdx.x * 64 + i];
    for (int i = tid; i < 184; i += 96) B[i] = a[blockIdx.x * 20 + 30 + i] * 4 / 5;
    __syncthreads();
    int diag = tid * 4;
    int lo = max(0, diag - 184), hi = min(diag, 200);
    while (lo < hi) {
        int mid = (lo + hi) >> 1;
        if (A[mid] <= B[diag - 1 - mid]) lo = mid + 1;
        else hi = mid;
    }
    int i = lo, j = diag - lo;
    int *out = b + blockIdx.x * 384 + diag;
    for (int k = 0; k < 4; k++) {
        if (j >= 184 || (i < 200 && A[i] <= B[j])) out[k] = A[i++];
        else out[k] = B[j++];
    }
}
