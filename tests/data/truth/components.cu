//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch components<<<2, 256>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void components(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ int parent[256];
    int t = threadIdx.x;
    const int *ends = idx + blockIdx.x * 512;
    parent[t] = t;
    __syncthreads();
    bool edge = t < 180;
    int u = ends[t] & 255, w = ends[t + 256] & 255;
    int changed, rounds = 0;
    do {
        int pu = parent[u], pw = parent[w];
        __syncthreads();
        changed = edge && pu != pw;
        if (changed)
            atomicMin(&parent[max(pu, pw)], min(pu, pw));
        __syncthreads();
        int root = t;
        while (parent[root] != root)
            root = parent[root];
        __syncthreads();
        parent[t] = root;
        rounds++;
    } while (__syncthreads_or(changed));
    b[blockIdx.x * 256 + t] = parent[t];
    if (t == 0)
        b[1000 + blockIdx.x] = rounds;
}
