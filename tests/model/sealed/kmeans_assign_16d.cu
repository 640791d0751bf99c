// The step of k-means that gives each point the nearest of 64 centres, in
// 16 dimensions; the centres lie in shared memory, a point in registers.
//@ param   n = 200003
//@ buffer  points  float4[n * 4] = (hash(i) % 1000) * 0.01
//@ buffer  centres float[64 * 16] = (hash(i + 11) % 1000) * 0.01
//@ buffer  nearest int[n]
//@ buffer  counts  int[64] = 0
//@ launch  assign<<<(n + 127) / 128, 128>>>(points, centres, nearest,
//@                                          counts, n)
#define K 64
#define D 16

__global__ void assign(const float4 *points, const float *centres,
                       int *nearest, int *counts, int n)
{
    __shared__ float c[K][D];
    __shared__ int members[K];

    for (int i = threadIdx.x; i < K * D; i += blockDim.x)
        c[i / D][i % D] = centres[i];
    if (threadIdx.x < K)
        members[threadIdx.x] = 0;
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float p[D];
        for (int d = 0; d < D / 4; d++) {
            float4 v = points[i * (D / 4) + d];
            p[4 * d] = v.x;
            p[4 * d + 1] = v.y;
            p[4 * d + 2] = v.z;
            p[4 * d + 3] = v.w;
        }
        float least = 1e30f;
        int best = 0;
        for (int k = 0; k < K; k++) {
            float far = 0.0f;
            for (int d = 0; d < D; d++) {
                float t = p[d] - c[k][d];
                far += t * t;
            }
            if (far < least) {
                least = far;
                best = k;
            }
        }
        nearest[i] = best;
        atomicAdd(&members[best], 1);
    }
    __syncthreads();
    if (threadIdx.x < K && members[threadIdx.x] > 0)
        atomicAdd(&counts[threadIdx.x], members[threadIdx.x]);
}
