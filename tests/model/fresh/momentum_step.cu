// One step of gradient descent with momentum and weight decay, as an optimiser does it for all weights of a network.
//@ param   n = 1 << 23
//@ buffer  w float[n] = hash(i) % 2001 * 0.001 - 1
//@ buffer  v float[n] = hash(i + 5) % 201 * 0.0001 - 0.01
//@ buffer  g float[n] = hash(i + 9) % 2001 * 0.0005 - 0.5
//@ launch  momentum_step<<<2048, 256>>>(w, v, g, n, 0.01, 0.9, 0.0005)
__global__ void momentum_step(float *__restrict__ w, float *__restrict__ v, const float *__restrict__ g, int n,
                              float rate, float keep, float decay)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        float weight = w[i];
        float velocity = keep * v[i] + g[i] + decay * weight;
        v[i] = velocity;
        w[i] = weight - rate * velocity;
    }
}
