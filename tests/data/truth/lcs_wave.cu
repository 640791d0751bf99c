//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch lcs_wave<<<4, 64>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void lcs_wave(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ int dp[3][65];
    __shared__ char s1[64], s2[80];
    int t = threadIdx.x;
    s1[t] = c[blockIdx.x * 200 + t] & 3;
    for (int i = t; i < 80; i += 64)
        s2[i] = c[blockIdx.x * 200 + 100 + i] & 3;
    for (int k = 0; k < 3; k++) {
        dp[k][t + 1] = 0;
        if (t == 0) dp[k][0] = 0;
    }
    __syncthreads();
    int last = 0;
    for (int diag = 0; diag < 64 + 80 - 1; diag++) {
        int *cur = dp[diag % 3], *p1 = dp[(diag + 2) % 3], *p2 = dp[(diag + 1) % 3];
        int j = diag - t;
        if (j >= 0 && j < 80) {
            int up = p1[t], left = j > 0 ? p1[t + 1] : 0, corner = j > 0 ? p2[t] : 0;
            last = s1[t] == s2[j] ? corner + 1 : max(up, left);
            cur[t + 1] = last;
        }
        __syncthreads();
    }
    b[blockIdx.x * 64 + t] = last;
}
