// Group norm of pictures whose channels lie beside each other: a block
// has one group of 8 of 256 channels, in pieces of 32 bytes.
//@ param   batch = 16
//@ param   pixels = 28 * 28
//@ param   channels = 256
//@ buffer  x     float[batch * pixels * channels] = (hash(i) % 400) * 0.01
//@ buffer  gamma float[channels] = 1 + (i % 5) * 0.1
//@ buffer  beta  float[channels] = (i % 7) * 0.1
//@ buffer  y     float[batch * pixels * channels]
//@ launch  groupNorm<8><<<dim3(channels / 8, batch), 192>>>(
//@             x, gamma, beta, y, pixels, channels, 0.00001)
template <int WIDTH>
__global__ void groupNorm(const float *__restrict__ x,
                          const float *__restrict__ gamma,
                          const float *__restrict__ beta,
                          float *__restrict__ y, int pixels, int channels,
                          float eps)
{
    __shared__ float sums[6], squares[6];

    size_t base = (size_t)blockIdx.y * pixels * channels +
                  blockIdx.x * WIDTH;
    int count = pixels * WIDTH;
    float sum = 0.0f, square = 0.0f;
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        float v = x[base + (size_t)(i / WIDTH) * channels + i % WIDTH];
        sum += v;
        square += v * v;
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
        square += __shfl_xor_sync(0xffffffffu, square, d);
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = sum;
        squares[threadIdx.x / 32] = square;
    }
    __syncthreads();
    sum = square = 0.0f;
    for (int w = 0; w < 6; w++) {
        sum += sums[w];
        square += squares[w];
    }
    float mean = sum / count;
    float scale = rsqrtf(square / count - mean * mean + eps);

    int c = blockIdx.x * WIDTH + threadIdx.x % WIDTH;
    float g = gamma[c] * scale;
    float b = beta[c] - mean * g;
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        size_t at = base + (size_t)(i / WIDTH) * channels + i % WIDTH;
        y[at] = x[at] * g + b;
    }
}
