// Colours the nodes of a graph so that neighbours differ (Jones and Plassmann). In a
// round, a node without a colour whose priority is the highest among neighbours without
// one takes the smallest colour that no neighbour has. Three rounds, between two arrays
// of colours. A node has room for 24 neighbours, with -1 where there is none.
//@ param   n = 1 << 17
//@ buffer  neighbours int[24 * n] = (
//@             hash((i / 24 ^ hash(i % 24) % n) + i / 24 + i % 24) % 5 < 2 ?
//@             i / 24 ^ hash(i % 24) % n : -1)
//@ buffer  colour signed char[n] = -1
//@ buffer  next signed char[n]
//@ launch  colour_round<<<n / 192 + 1, 192>>>(neighbours, colour, next, n)
//@ launch  colour_round<<<n / 192 + 1, 192>>>(neighbours, next, colour, n)
//@ launch  colour_round<<<n / 192 + 1, 192>>>(neighbours, colour, next, n)
__device__ unsigned priority(unsigned node)
{
    node = (node ^ node >> 16) * 0x7feb352du;
    node = (node ^ node >> 15) * 0x846ca68bu;
    return node ^ node >> 16;
}

__global__ void colour_round(const int *neighbours, const signed char *colour,
                             signed char *next, int n)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= n)
        return;

    int own = colour[node];
    if (own < 0) {
        unsigned mine = priority(node), taken = 0;
        bool highest = true;
        for (int k = 0; k < 24; k++) {
            int other = neighbours[24 * node + k];
            if (other < 0 || other == node)
                continue;
            int theirs = colour[other];
            if (theirs >= 0) {
                taken |= 1u << theirs;
            } else if (priority(other) > mine) {
                highest = false;
                break;
            }
        }
        if (highest)
            own = __ffs(~taken) - 1;
    }
    next[node] = own;
}
