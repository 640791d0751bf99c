// The gate of a mixture of experts: each token takes the two best of eight
// and weighs them by a softmax; a thread a token.
//@ param   tokens = 2000
//@ buffer  logits float4[tokens * 2] = hash(i) % 100 * 0.05
//@ buffer  bias   float[8] = (hash(i) % 10) * 0.3
//@ buffer  expert int2[tokens]
//@ buffer  weight float2[tokens]
//@ launch  gate<<<(tokens + 127) / 128, 128>>>(logits, bias, expert,
//@                                             weight, tokens)
__global__ void gate(const float4 *logits, const float *bias,
                     int2 *expert, float2 *weight, int tokens)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= tokens)
        return;

    float4 a = logits[2 * i], b = logits[2 * i + 1];
    float v[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    int first = -1, second = -1;
    float most = -1e30f, next = -1e30f;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        float s = v[k] + bias[k];
        if (s > most) {
            next = most, second = first;
            most = s, first = k;
        } else if (s > next) {
            next = s, second = k;
        }
    }
    float e = expf(next - most);
    expert[i] = make_int2(first, second);
    weight[i] = make_float2(1.0f / (1.0f + e), e / (1.0f + e));
}
