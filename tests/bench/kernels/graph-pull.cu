// A round of relaxation that pulls: vertices with 1 to 16 edges, one write each.
//@ param n = 1 << 16
//@ buffer edge int[n / 16 * 136] = hash(i) % n
//@ buffer from float[n] = hash(i) & 1023
//@ buffer to float[n]
//@ launch pull<<<n / 256, 256>>>(edge, from, to, n)
extern "C" __global__ void pull(const int *edge, const float *from, float *to, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    int more = v % 16, first = v + v / 16 * 120 + more * (more - 1) / 2, end = first + more + 1;
    float sum = 0;
    for (int e = first; e < end; e++)
        sum += from[edge[e]] * 0.5f;
    to[v] = sum;
}
