// One dense layer for one input vector: a block of 128 makes one of 1536 outputs, bias and ReLU at the end.
//@ param   outputs = 1536
//@ param   inputs = 1024
//@ buffer  w float[outputs * inputs] = hash(i) % 11 * 0.1 - 0.5
//@ buffer  b float[outputs] = i % 5 - 2
//@ buffer  x float[inputs] = i % 13
//@ buffer  y float[outputs]
//@ launch  dense<<<outputs, 128>>>(w, b, x, y, inputs)
__global__ void dense(const float *w, const float *b, const float *x, float *y, int inputs)
{
    __shared__ float part[128];
    float sum = 0;
    for (int i = threadIdx.x; i < inputs; i += 128)
        sum += w[blockIdx.x * inputs + i] * x[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int s = 64; s > 0; s /= 2) {
        if (threadIdx.x < s)
            part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        float out = part[0] + b[blockIdx.x];
        y[blockIdx.x] = out > 0 ? out : 0;
    }
}
