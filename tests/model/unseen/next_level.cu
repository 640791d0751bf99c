// One level of a breadth-first search: each node of the front looks at eight neighbours and appends those that are new.
//@ param   n = 1 << 20
//@ param   front = 1 << 16
//@ buffer  node     int[front] = hash(i) & (n - 1)
//@ buffer  neighbour int[8 * n] = hash(i + 77) & (n - 1)
//@ buffer  level    int[n] = 0
//@ buffer  next     int[n]
//@ buffer  length   int[1] = 0
//@ launch  visit<<<front / 128, 128>>>(node, neighbour, level, next, length)
extern "C" __global__ void visit(const int *node, const int *neighbour, int *level, int *next, int *length)
{
    int here = node[blockIdx.x * 128 + threadIdx.x];
    for (int k = 0; k < 8; k++) {
        int there = neighbour[8 * here + k];
        if (level[there] == 0 && atomicExch(&level[there], 1) == 0)
            next[atomicAdd(length, 1)] = there;
    }
}
