// A layer of a graph network: along each edge the 16 features of a node are weighted and added to those of another.
//@ param   nodes = 1 << 16
//@ param   edges = 1 << 19
//@ buffer  src    int[edges] = hash(i) % nodes
//@ buffer  dst    int[edges] = hash(i + 12345) % nodes
//@ buffer  weight float[edges] = hash(i) % 7 * 0.25
//@ buffer  x      float[nodes * 16] = i % 29
//@ buffer  y      float[nodes * 16] = 0
//@ launch  gather_scatter<<<edges / 16, 256>>>(src, dst, weight, x, y)
__global__ void gather_scatter(const int *__restrict__ src, const int *__restrict__ dst,
                               const float *__restrict__ weight, const float *__restrict__ x, float *y)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int edge = t / 16, feature = t % 16;
    float message = weight[edge] * x[src[edge] * 16 + feature];
    atomicAdd(&y[dst[edge] * 16 + feature], message);
}
