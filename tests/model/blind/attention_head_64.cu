// Causal attention with heads of 64: a thread has one query, the block
// goes over the keys in tiles and keeps a running softmax.
//@ param   heads = 12
//@ param   seq = 1024
//@ buffer  q float[heads * seq * 64] = (hash(i) % 201 - 100) * 0.01
//@ buffer  k float[heads * seq * 64] = (hash(i + 1) % 201 - 100) * 0.01
//@ buffer  v float[heads * seq * 64] = (hash(i + 2) % 201 - 100) * 0.01
//@ buffer  o float[heads * seq * 64]
//@ launch  attention<<<dim3(seq / 64, heads), 64>>>(q, k, v, o, seq)
#define D 64
#define TK 32

__global__ void attention(const float *Q, const float *K,
                          const float *V, float *O, int seq)
{
    __shared__ float4 sk[TK][D / 4];
    __shared__ float4 sv[TK][D / 4];

    size_t head = (size_t)blockIdx.y * seq * D;
    int query = blockIdx.x * 64 + threadIdx.x;
    const float4 *q4 = (const float4 *)(Q + head + query * D);
    const float4 *k4 = (const float4 *)(K + head);
    const float4 *v4 = (const float4 *)(V + head);

    float4 q[D / 4], acc[D / 4];
    for (int d = 0; d < D / 4; d++) {
        q[d] = q4[d];
        acc[d] = make_float4(0, 0, 0, 0);
    }
    float top = -1e30f, sum = 0;

    int end = (blockIdx.x + 1) * 64;
    for (int t = 0; t < end; t += TK) {
        __syncthreads();
        for (int e = threadIdx.x; e < TK * D / 4; e += 64) {
            sk[0][e] = k4[t * (D / 4) + e];
            sv[0][e] = v4[t * (D / 4) + e];
        }
        __syncthreads();
        for (int j = 0; j < TK && t + j <= query; j++) {
            float s = 0;
            for (int d = 0; d < D / 4; d++) {
                float4 b = sk[j][d];
                s += q[d].x * b.x + q[d].y * b.y + q[d].z * b.z +
                     q[d].w * b.w;
            }
            s *= 0.125f;
            if (s > top) {
                float f = __expf(top - s);
                sum *= f;
                for (int d = 0; d < D / 4; d++) {
                    acc[d].x *= f;
                    acc[d].y *= f;
                    acc[d].z *= f;
                    acc[d].w *= f;
                }
                top = s;
            }
            float p = __expf(s - top);
            sum += p;
            for (int d = 0; d < D / 4; d++) {
                float4 b = sv[j][d];
                acc[d].x += p * b.x;
                acc[d].y += p * b.y;
                acc[d].z += p * b.z;
                acc[d].w += p * b.w;
            }
        }
    }

    float4 *o4 = (float4 *)(O + head + query * D);
    for (int d = 0; d < D / 4; d++)
        o4[d] = make_float4(acc[d].x / sum, acc[d].y / sum,
                            acc[d].z / sum, acc[d].w / sum);
}
