// Each node of a graph takes the mean of its 8 neighbours, wherever they lie.
//@ param   nodes = 1 << 18
//@ buffer  edge  int[nodes * 8] = hash(i) & (nodes - 1)
//@ buffer  value float[nodes] = i % 100
//@ buffer  mean  float[nodes]
//@ launch  visit<<<nodes / 256, 256>>>(edge, value, mean)
extern "C" __global__ void visit(const int *edge, const float *value, float *mean)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += value[edge[i * 8 + k]];
    mean[i] = sum * 0.125f;
}
