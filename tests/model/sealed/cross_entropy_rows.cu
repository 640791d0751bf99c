// The loss of a classifier and its gradient: a block has a row of logits,
// whose length is odd, and goes over it three times.
//@ param   rows = 700
//@ param   classes = 5003
//@ buffer  logits float[rows * classes] = (hash(i) % 1000) * 0.012 - 6
//@ buffer  target int[rows] = hash(i + 3) % classes
//@ buffer  grad   float[rows * classes]
//@ buffer  loss   float[rows]
//@ launch  crossEntropy<<<rows, 256>>>(logits, target, grad, loss,
//@                                     classes)
__device__ float blockReduce(float v, bool largest, float *shared)
{
    for (int d = 16; d > 0; d >>= 1) {
        float other = __shfl_down_sync(0xffffffffu, v, d);
        v = largest ? fmaxf(v, other) : v + other;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = v;
    __syncthreads();
    v = shared[0];
    for (int w = 1; w < (int)blockDim.x / 32; w++)
        v = largest ? fmaxf(v, shared[w]) : v + shared[w];
    return v;
}

__global__ void crossEntropy(const float *logits, const int *target,
                             float *grad, float *loss, int classes)
{
    __shared__ float shared[32];
    const float *row = logits + (size_t)blockIdx.x * classes;
    float *out = grad + (size_t)blockIdx.x * classes;

    float top = -INFINITY;
    for (int c = threadIdx.x; c < classes; c += blockDim.x)
        top = fmaxf(top, row[c]);
    top = blockReduce(top, true, shared);

    float sum = 0.0f;
    for (int c = threadIdx.x; c < classes; c += blockDim.x)
        sum += expf(row[c] - top);
    sum = blockReduce(sum, false, shared);

    int right = target[blockIdx.x];
    float inverse = 1.0f / sum;
    for (int c = threadIdx.x; c < classes; c += blockDim.x)
        out[c] = expf(row[c] - top) * inverse - (c == right);
    if (threadIdx.x == 0)
        loss[blockIdx.x] = logf(sum) + top - row[right];
}
