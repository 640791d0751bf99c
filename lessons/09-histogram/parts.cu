// Each block writes its own bins; a second kernel adds them up.
//@ title   Parts, then their sums
//@ scratch partial unsigned[24 * 256]
//@ launch  count_parts<<<24, 256>>>(data, partial, n, 24)
//@ launch  add_parts<<<1, 256>>>(partial, bins, n, 24)
const int BINS = 256;

// Block g writes the bins of its part, without a global atomic.
extern "C" __global__ void count_parts(const unsigned char *data,
                                       unsigned *partial, int n,
                                       int parts)
{
    __shared__ unsigned own[BINS]; // as many as the block has threads
    own[threadIdx.x] = 0;
    __syncthreads();

    int g = blockIdx.x;
    for (int i = g * BINS + threadIdx.x; i < n; i += parts * BINS)
        atomicAdd(&own[data[i]], 1);

    __syncthreads();
    unsigned *out = partial;
    out += g * parts;
    out[threadIdx.x] = own[threadIdx.x];
}

// Thread b adds up bin b of all parts.
extern "C" __global__ void add_parts(const unsigned *partial,
                                     unsigned *bins, int n, int parts)
{
    unsigned sum = 0;
    for (int g = 0; g < n; g++)
        sum += partial[g * BINS + threadIdx.x];
    bins[threadIdx.x] = sum;
}
