// Counts the edges at each node of a graph, at both of their ends.
//@ param   nodes = 1 << 19
//@ param   edges = 1 << 20
//@ buffer  edge   int2[edges] = hash(i) & (nodes - 1)
//@ buffer  degree int[nodes] = 0
//@ launch  count<<<edges / 256, 256>>>(edge, degree, nodes)
extern "C" __global__ void count(const int2 *edge, int *degree,
                                 int nodes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int2 ends = edge[i];
    atomicAdd(&degree[ends.x], 1);
    atomicAdd(&degree[nodes - 1 - ends.y], 1);
}
