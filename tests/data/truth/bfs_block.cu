//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch bfs_block<<<1, 320>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void bfs_block(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ int dist[320];
    int u = threadIdx.x;
    dist[u] = u == 0 ? 0 : 9999;
    int begin = u * 3 + (idx[u] & 1), end = (u + 1) * 3 + (idx[u + 1] & 1);
    __syncthreads();
    for (int level = 0;; level++) {
        bool active = dist[u] == level;
        __syncthreads();
        int found = 0;
        if (active) {
            for (int e = begin; e < end; e++) {
                int w = idx[4096 + e] % 320;
                atomicMin(&dist[w], level + 1);
            }
        }
        __syncthreads();
        found = dist[u] == level + 1;
        if (!__syncthreads_or(found))
            break;
    }
    b[u] = dist[u];
}
