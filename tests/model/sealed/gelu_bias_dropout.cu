// Adds a bias to the output of a dense layer, takes GELU of it and drops
// a tenth, by a hash of the index; the mask is kept for the way back.
//@ param   rows = 1500
//@ param   cols = 2050
//@ buffer  x    float[rows * cols] = (hash(i) % 801) * 0.01 - 4
//@ buffer  bias float[cols] = (hash(i + 7) % 101) * 0.01 - 0.5
//@ buffer  y    float[rows * cols]
//@ buffer  kept unsigned char[rows * cols]
//@ launch  biasGeluDropout<<<(rows * cols + 255) / 256, 256>>>(
//@             x, bias, y, kept, rows * cols, cols, 12345)
__global__ void biasGeluDropout(const float *__restrict__ x,
                                const float *__restrict__ bias,
                                float *__restrict__ y,
                                unsigned char *__restrict__ kept, int n,
                                int cols, unsigned seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    float v = x[i] + bias[i % cols];
    float inner = 0.7978845608f * (v + 0.044715f * v * v * v);
    float gelu = 0.5f * v * (1.0f + tanhf(inner));

    unsigned h = i ^ seed;
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    h ^= h >> 16;
    bool keep = h >= 429496730u;
    kept[i] = keep;
    y[i] = keep ? gelu * (1.0f / 0.9f) : 0.0f;
}
