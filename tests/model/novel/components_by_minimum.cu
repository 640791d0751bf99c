// Components of a graph: three times each edge offers both ends the label
// of the other's parent by an atomic minimum, then all labels are halved
// in depth. Labels only fall, towards the smallest node of the component.
//@ param   nodes = 300000
//@ param   edges = 420000
//@ buffer  from   int[edges] = hash(i) % nodes
//@ buffer  to     int[edges] = hash(i + 12345) % nodes
//@ buffer  parent int[nodes] = i
//@ buffer  next   int[nodes] = i
//@ launch  hook<<<(edges + 255) / 256, 256>>>(from, to, parent, next, edges)
//@ launch  jump<<<(nodes + 255) / 256, 256>>>(next, parent, nodes)
//@ launch  hook<<<(edges + 255) / 256, 256>>>(from, to, parent, next, edges)
//@ launch  jump<<<(nodes + 255) / 256, 256>>>(next, parent, nodes)
//@ launch  hook<<<(edges + 255) / 256, 256>>>(from, to, parent, next, edges)
//@ launch  jump<<<(nodes + 255) / 256, 256>>>(next, parent, nodes)
__global__ void hook(const int *from, const int *to, const int *parent,
                     int *next, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    int u = from[e], v = to[e];
    int pu = parent[u], pv = parent[v];
    int gu = parent[pu], gv = parent[pv];
    if (gu < gv) {
        atomicMin(&next[pv], gu);
        atomicMin(&next[v], gu);
    } else if (gv < gu) {
        atomicMin(&next[pu], gv);
        atomicMin(&next[u], gv);
    }
}

__global__ void jump(const int *next, int *parent, int nodes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nodes)
        parent[i] = next[next[i]];
}
