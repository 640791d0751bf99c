// Counts the triangles at each vertex of a graph with a few vertices of
// many edges: a block per vertex, sorted lists are merged.
//@ param   n = 6000
//@ param   cap = 640
//@ buffer  degree int[n] = 8 + 600 / (1 + hash(i) % 60)
//@ buffer  adj    int[n * cap] = (i % cap * (n / (8 + 600 / (1
//@                    + hash(i / cap) % 60))) + hash(i)
//@                    % (n / (8 + 600 / (1 + hash(i / cap) % 60))))
//@ buffer  count  int[n] = 0
//@ launch  triangles<<<n, 64>>>(degree, adj, count, cap)
__global__ void triangles(const int *__restrict__ degree,
                          const int *__restrict__ adj, int *count,
                          int cap)
{
    int v = blockIdx.x;
    int dv = degree[v];
    const int *nv = adj + v * cap;

    int found = 0;
    for (int e = threadIdx.x; e < dv; e += blockDim.x) {
        int u = nv[e];
        if (u <= v)
            continue;
        int du = degree[u];
        const int *nu = adj + u * cap;
        int i = 0, j = 0;
        while (i < dv && j < du) {
            int a = nv[i], b = nu[j];
            if (a == b)
                found++;
            if (a <= b)
                i++;
            if (b <= a)
                j++;
        }
    }
    if (found > 0)
        atomicAdd(&count[v], found);
}
