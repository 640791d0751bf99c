// A round of relaxation that pushes: vertices with 1 to 16 edges, atomics to where they lead.
//@ param n = 1 << 15
//@ buffer edge int[n / 16 * 136] = hash(i) % n
//@ buffer weight int[n / 16 * 136] = hash(i + 7) & 63
//@ buffer from int[n] = hash(i) & 1023
//@ buffer to int[n] = 1 << 20
//@ launch relax<<<n / 256, 256>>>(edge, weight, from, to, n)
extern "C" __global__ void relax(const int *edge, const int *weight, const int *from, int *to, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    int more = v % 16, first = v + v / 16 * 120 + more * (more - 1) / 2, end = first + more + 1;
    for (int e = first; e < end; e++)
        atomicMin(&to[edge[e]], from[v] + weight[e]);
}
