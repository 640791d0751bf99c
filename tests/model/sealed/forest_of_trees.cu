// Asks a forest of 64 decision trees about samples of 32 features: each
// thread walks ten levels down every tree, from node to node.
//@ param   samples = 20000
//@ buffer  nodes   node[64 * 1024] = {.feature = hash(i) % 32,
//@             .limit = hash(i + 1) % 100, .value = hash(i + 2) % 7}
//@ buffer  sample  float[samples * 32] = hash(i) % 100
//@ buffer  verdict float[samples]
//@ launch  ask<<<(samples + 63) / 64, 64>>>(nodes, sample, verdict,
//@                                          samples)
struct node {
    int feature;
    float limit;
    float value;
};

__global__ void ask(const node *nodes, const float *sample,
                    float *verdict, int samples)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= samples)
        return;

    const float *mine = sample + i * 32;
    float sum = 0.0f;
    for (int tree = 0; tree < 64; tree++) {
        const node *root = nodes + tree * 1024;
        int at = 1;
        for (int level = 0; level < 9; level++)
            at = 2 * at + (mine[root[at].feature] >= root[at].limit);
        sum += root[at].value;
    }
    verdict[i] = sum * (1.0f / 64);
}
