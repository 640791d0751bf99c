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

// ---- tensor cores ----------------------------------------------------------------------------------

// A warp's factors stay what they are, and four sums grow side by side, so that none waits for another. Bits of the factors
// differ, for zeros need less power than data do.

// Sums that nobody needs; they are stored if one has a certain value, which no compiler can rule out.
static __device__ void keep(const float *sums, int count, float *out)
{
    float all = 0;
#pragma unroll
    for (int i = 0; i < count; i++)
        all += sums[i];
    if (all == 0.12345f)
        *out = all;
}

// Numbers of both halves from 1 to 2, or one of a float.
static __device__ unsigned factor(unsigned one, unsigned fraction, unsigned i)
{
    return one | ((threadIdx.x * 32 + i) * 0x9e3779b9u & fraction);
}

// The oldest instruction, which all tensor cores have: 2 * 16 * 16 * 16 operations.
extern "C" __global__ void warpbook_tensor_f16(int rounds, float *out)
{
    float sum[4][8] = {};
    unsigned x[8];
#pragma unroll
    for (int i = 0; i < 8; i++)
        x[i] = factor(0x3c003c00, 0x03ff03ff, i);
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int s = 0; s < 4; s++)
            asm("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, "
                "{%8, %9, %10, %11, %12, %13, %14, %15}, {%12, %13, %14, %15, %8, %9, %10, %11}, "
                "{%0, %1, %2, %3, %4, %5, %6, %7};"
                : "+f"(sum[s][0]), "+f"(sum[s][1]), "+f"(sum[s][2]), "+f"(sum[s][3]), "+f"(sum[s][4]),
                  "+f"(sum[s][5]), "+f"(sum[s][6]), "+f"(sum[s][7])
                : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]));
    keep(&sum[0][0], 32, out);
}

// The name is cut in two because clang compiles a text that has it for sm_80, and this one is for all.
#if __CUDA_ARCH__ >= 800
#define MMA                                                                                                  \
    "mma"                                                                                                    \
    ".sync.aligned."
#define TENSOR(NAME, ONE, FRACTION, SHAPE)                                                                   \
    extern "C" __global__ void NAME(int rounds, float *out)                                                  \
    {                                                                                                        \
        float sum[4][8] = {};                                                                                \
        unsigned x[6];                                                                                       \
        for (int i = 0; i < 6; i++)                                                                          \
            x[i] = factor(ONE, FRACTION, i);                                                                 \
        for (int r = 0; r < rounds; r++)                                                                     \
            for (int s = 0; s < 8; s++)                                                                      \
                asm(MMA SHAPE " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "                              \
                              "{%0, %1, %2, %3};"                                                            \
                    : "+f"(sum[s / 2][s % 2 * 4]), "+f"(sum[s / 2][s % 2 * 4 + 1]),                          \
                      "+f"(sum[s / 2][s % 2 * 4 + 2]), "+f"(sum[s / 2][s % 2 * 4 + 3])                       \
                    : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]));                     \
        keep(&sum[0][0], 32, out);                                                                           \
    }
TENSOR(warpbook_tensor_bf16, 0x3f803f80, 0x007f007f, "m16n8k16.row.col.f32.bf16.bf16.f32")
TENSOR(warpbook_tensor_tf32, 0x3f800000, 0x007fe000, "m16n8k8.row.col.f32.tf32.tf32.f32")
#endif
