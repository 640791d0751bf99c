// A level of a breadth-first search from below: each node that has no
// parent yet looks for one among its neighbours, until it finds one.
//@ param   nodes = 500000
//@ param   degree = 16
//@ buffer  edges  int[nodes * degree] = hash(i) % nodes
//@ buffer  front  unsigned[(nodes + 31) / 32] = (hash(i) & hash(i + 1) &
//@                                             hash(i + 2))
//@ buffer  parent int[nodes] = hash(i) % 3 == 0 ? 0 : -1
//@ buffer  next   unsigned[(nodes + 31) / 32]
//@ launch  bottomUp<<<(nodes + 191) / 192, 192>>>(edges, front, parent,
//@                                                next, nodes, degree)
__global__ void bottomUp(const int *__restrict__ edges,
                         const unsigned *__restrict__ front,
                         int *parent, unsigned *next, int nodes,
                         int degree)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    bool found = false;
    if (node < nodes && parent[node] < 0) {
        const int *mine = edges + node * degree;
        for (int e = 0; e < degree; e++) {
            int other = mine[e];
            if (front[other / 32] >> other % 32 & 1) {
                parent[node] = other;
                found = true;
                break;
            }
        }
    }
    unsigned word = __ballot_sync(0xffffffffu, found);
    if (threadIdx.x % 32 == 0 && node < nodes)
        next[node / 32] = word;
}
