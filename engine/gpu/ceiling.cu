// The kernels that warpbook measures a GPU with: how fast it can read, copy and start a kernel at best.
// Sizes are whole tiles, so that no thread has to check a bound: a tile is 8 elements of 16 bytes for each
// thread of a block, and a thread's eight loads are all on their way before the first is used.

// Reads everything. The sum is stored only if it has one certain value, which no compiler can rule out.
extern "C" __global__ void warpbook_read(const uint4 *data, unsigned tiles, unsigned *sum_out)
{
    unsigned sum = 0;
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const uint4 *from = data + tile * 8 * blockDim.x + threadIdx.x;
        uint4 part[8];
#pragma unroll
        for (int i = 0; i < 8; i++)
            part[i] = from[i * blockDim.x];
#pragma unroll
        for (int i = 0; i < 8; i++)
            sum ^= part[i].x ^ part[i].y ^ part[i].z ^ part[i].w;
    }
    if (sum == 0x600df00d)
        *sum_out = sum;
}

extern "C" __global__ void warpbook_copy(const uint4 *data, unsigned tiles, uint4 *out)
{
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        unsigned at = tile * 8 * blockDim.x + threadIdx.x;
        uint4 part[8];
#pragma unroll
        for (int i = 0; i < 8; i++)
            part[i] = data[at + i * blockDim.x];
#pragma unroll
        for (int i = 0; i < 8; i++) // part by part: some compilers would copy a whole uint4 through memory
            out[at + i * blockDim.x] = make_uint4(part[i].x, part[i].y, part[i].z, part[i].w);
    }
}

// Fills with bits that look random, for real data are not zeros: a position's number, hashed.
extern "C" __global__ void warpbook_noise(unsigned *out, unsigned long long count)
{
    unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += step) {
        unsigned x = (unsigned)i;
        x = (x ^ x >> 16) * 0x7feb352d;
        x = (x ^ x >> 15) * 0x846ca68b;
        out[i] = x ^ x >> 16;
    }
}

extern "C" __global__ void warpbook_empty(void)
{
}

// Does nothing for a while, so that the host can queue what comes next.
extern "C" __global__ void warpbook_hold(long long cycles)
{
    long long start = clock64();
    while (clock64() - start < cycles) {
    }
}
