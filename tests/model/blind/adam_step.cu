// One step of the Adam optimiser over all weights of a network: four
// arrays are read and three are written.
//@ param   n = 9000001
//@ buffer  w float[n] = (hash(i) % 2001 - 1000) * 0.001
//@ buffer  g float[n] = (hash(i + 5) % 2001 - 1000) * 0.0001
//@ buffer  m float[n] = (hash(i + 9) % 201 - 100) * 0.0001
//@ buffer  v float[n] = hash(i + 11) % 1000 * 0.000001
//@ launch  adam_step<<<(n + 255) / 256, 256>>>(w, g, m, v, 0.001,
//@                                             0.1, 0.01, n)
__global__ void adam_step(float *w, const float *g, float *m, float *v,
                          float rate, float corr1, float corr2, int n)
{
    const float beta1 = 0.9f, beta2 = 0.999f, eps = 1e-8f;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float grad = g[i] + 0.01f * w[i];
    m[i] = beta1 * m[i] + (1.0f - beta1) * grad;
    v[i] = beta2 * v[i] + (1.0f - beta2) * grad * grad;
    float mhat = m[i] / corr1;
    float vhat = v[i] / corr2;
    w[i] -= rate * mhat / (sqrtf(vhat) + eps);
}
