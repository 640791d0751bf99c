// Sorts lists of 64 candidates by falling score, as a detector or a search engine does
// before it looks closer. A warp holds a list in registers, two candidates a lane, and
// sorts it with Batcher's bitonic network over shuffles; numbers travel with their
// scores. Lists may be shorter than 64.
//@ param   lists = 11000
//@ buffer  score float[lists * 64] = hash(i) % 100000 * 0.00001
//@ buffer  length unsigned char[lists] = 20 + hash(i) % 45
//@ buffer  order int[lists * 64]
//@ buffer  sorted float[lists * 64]
//@ launch  sort_lists<<<lists / 4, 128>>>(score, length, order, sorted)
struct candidate {
    float score;
    int number;
};

__device__ bool before(candidate a, candidate b)
{
    return a.score > b.score || (a.score == b.score && a.number < b.number);
}

__device__ void exchange(candidate &mine, int distance, bool first_wanted)
{
    candidate other;
    other.score = __shfl_xor_sync(~0u, mine.score, distance);
    other.number = __shfl_xor_sync(~0u, mine.number, distance);
    if (before(other, mine) == first_wanted)
        mine = other;
}

__global__ void sort_lists(const float *score, const unsigned char *length, int *order,
                           float *sorted)
{
    int list = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int from = list * 64 + lane;
    int count = length[list];

    // Places `lane` and `lane + 32` of the network; those without a candidate come last.
    candidate low = {lane < count ? score[from] : -1.0f, lane};
    candidate high = {lane + 32 < count ? score[from + 32] : -1.0f, lane + 32};

#pragma unroll
    for (int size = 2; size <= 64; size *= 2)
#pragma unroll
        for (int distance = size / 2; distance > 0; distance /= 2) {
            if (distance == 32) {
                if (before(high, low)) {
                    candidate swapped = low;
                    low = high;
                    high = swapped;
                }
                continue;
            }
            bool is_first = (lane & distance) == 0;
            bool low_falls = (lane & size) == 0 || size == 64;
            bool high_falls = ((lane + 32) & size) == 0 || size == 64;
            exchange(low, distance, is_first == low_falls);
            exchange(high, distance, is_first == high_falls);
        }

    order[from] = low.score < 0 ? -1 : low.number;
    order[from + 32] = high.score < 0 ? -1 : high.number;
    sorted[from] = low.score;
    sorted[from + 32] = high.score;
}
