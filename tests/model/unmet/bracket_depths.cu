// How deep each character of a long JSON text lies within brackets, the first step of a
// parallel parser. The first kernel counts opening less closing brackets of 4096
// characters, the second sums these over all that lies before, the third does the same
// within blocks and writes the depths.
//@ param   pieces = 1000
//@ param   length = pieces * 4096
//@ buffer  text unsigned char[length] = (hash(i) % 16 == 0 ? 123 :
//@             hash(i) % 16 == 1 ? 125 : hash(i) % 16 == 2 ? 91 :
//@             hash(i) % 16 == 3 ? 93 : 97 + hash(i + 1) % 26)
//@ buffer  balance int[pieces]
//@ buffer  depth short[length]
//@ buffer  deepest int[1] = 0
//@ launch  balance_of_pieces<<<pieces, 256>>>(text, balance)
//@ launch  sum_before<<<1, 1024>>>(balance, pieces)
//@ launch  depths<<<pieces, 256>>>(text, balance, depth, deepest)
__device__ int change(unsigned character)
{
    // Apart from bit 5, [ is { and ] is }.
    unsigned folded = character | 32;
    return (folded == '{') - (folded == '}');
}

__device__ int change_of_16(const uint4 &letters)
{
    unsigned words[4] = {letters.x, letters.y, letters.z, letters.w};
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 16; k++)
        sum += change(words[k / 4] >> k % 4 * 8 & 255);
    return sum;
}

// The sum over all threads before this one, in a block of up to 32 warps.
__device__ int sum_before_here(int mine)
{
    __shared__ int of_warp[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int sum = mine;
    for (int step = 1; step < 32; step *= 2) {
        int before = __shfl_up_sync(~0u, sum, step);
        sum += lane >= step ? before : 0;
    }
    if (lane == 31)
        of_warp[warp] = sum;
    __syncthreads();
    int earlier = lane < warp ? of_warp[lane] : 0;
    for (int step = 16; step > 0; step /= 2)
        earlier += __shfl_xor_sync(~0u, earlier, step);
    return earlier + sum - mine;
}

__global__ void balance_of_pieces(const unsigned char *text, int *balance)
{
    uint4 letters = ((const uint4 *)text)[blockIdx.x * blockDim.x + threadIdx.x];
    int mine = change_of_16(letters);
    int before = sum_before_here(mine);
    if (threadIdx.x == blockDim.x - 1)
        balance[blockIdx.x] = before + mine;
}

__global__ void sum_before(int *balance, int pieces)
{
    int mine = threadIdx.x < pieces ? balance[threadIdx.x] : 0;
    int before = sum_before_here(mine);
    if (threadIdx.x < pieces)
        balance[threadIdx.x] = before;
}

__global__ void depths(const unsigned char *text, const int *balance, short *depth,
                       int *deepest)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 letters = ((const uint4 *)text)[at];
    unsigned words[4] = {letters.x, letters.y, letters.z, letters.w};
    int now = balance[blockIdx.x] + sum_before_here(change_of_16(letters));

    int most = 0;
    unsigned pairs[8];
#pragma unroll
    for (int k = 0; k < 16; k++) {
        now += change(words[k / 4] >> k % 4 * 8 & 255);
        most = max(most, now);
        pairs[k / 2] = k % 2 ? pairs[k / 2] | (unsigned)now << 16 : now & 0xffffu;
    }
    ((uint4 *)depth)[2 * at] = make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
    ((uint4 *)depth)[2 * at + 1] = make_uint4(pairs[4], pairs[5], pairs[6], pairs[7]);

    most = __reduce_max_sync(~0u, most);
    if (threadIdx.x % 32 == 0)
        atomicMax(deepest, most);
}
