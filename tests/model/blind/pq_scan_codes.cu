// Nearest of quantised vectors: a block has one query, keeps its 96
// tables of distances in shared memory and scans a list of codes.
//@ param   queries = 250
//@ param   lists = 40
//@ param   len = 3072
//@ buffer  lut  float[queries * 96 * 256] = hash(i) % 1000 * 0.001
//@ buffer  code uint4[lists * len * 6] = hash(i)
//@ buffer  best float[queries]
//@ buffer  who  int[queries]
//@ launch  scanCodes<<<queries, 256, 96 * 256 * 4>>>(lut, code, best,
//@                                                  who, lists, len)
constexpr int kSub = 96;

__device__ float four(const float *table, unsigned c)
{
    return table[c & 255] + table[256 + (c >> 8 & 255)] +
           table[512 + (c >> 16 & 255)] + table[768 + (c >> 24)];
}

__global__ void __launch_bounds__(256)
scanCodes(const float *__restrict__ lut, const uint4 *__restrict__ code,
          float *best, int *who, int lists, int len)
{
    extern __shared__ float table[];
    __shared__ float warpBest[8];
    __shared__ int warpWho[8];

    const float *mine = lut + (size_t)blockIdx.x * kSub * 256;
    for (int k = threadIdx.x; k < kSub * 256; k += 256)
        table[k] = mine[k];
    __syncthreads();

    float low = 1e30f;
    int at = -1;
    int list = blockIdx.x * 7 % lists;
    for (int v = threadIdx.x; v < len; v += 256) {
        const uint4 *c = code + ((size_t)list * len + v) * (kSub / 16);
        float d = 0.0f;
#pragma unroll 2
        for (int s = 0; s < kSub / 16; s++) {
            uint4 w = c[s];
            const float *t = table + s * 16 * 256;
            d += four(t, w.x) + four(t + 1024, w.y) +
                 four(t + 2048, w.z) + four(t + 3072, w.w);
        }
        if (d < low) {
            low = d;
            at = v;
        }
    }

    for (int d = 16; d > 0; d /= 2) {
        float otherLow = __shfl_down_sync(0xffffffffu, low, d);
        int otherAt = __shfl_down_sync(0xffffffffu, at, d);
        if (otherLow < low) {
            low = otherLow;
            at = otherAt;
        }
    }
    if (threadIdx.x % 32 == 0) {
        warpBest[threadIdx.x / 32] = low;
        warpWho[threadIdx.x / 32] = at;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; k++)
            if (warpBest[k] < low) {
                low = warpBest[k];
                at = warpWho[k];
            }
        best[blockIdx.x] = low;
        who[blockIdx.x] = list * len + at;
    }
}
