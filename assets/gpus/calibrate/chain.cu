// One warp and a chain of instructions, each of which needs the result of the one before: latencies.
//@ param   kind = 0
//@ param   n = 100
//@ scratch words unsigned[32]
//@ scratch out unsigned[32]
//@ launch  clear<<<1, 32>>>(words)
//@ launch  chain<<<1, 32>>>(kind, n, words, out)
enum { CHAIN = 128 }; // links in an iteration
enum {
    FMA,
    LOGIC_AND_ADD,
    MAD,
    DOUBLE,
    SPECIAL,
    SHUFFLE,
    TO_INT,
    FROM_INT,
    SHARED,
    SHARED_ATOMIC,
    ATOMIC,
    SWAP,
    SWAP_OF_ALL
};

extern "C" __global__ void clear(unsigned *words)
{
    words[threadIdx.x] = 0;
}

// `link` is the instruction, on a value `x` that comes from one and goes into the next.
#define REPEAT(link)                                                                                         \
    for (int i = 0; i < n; i++) {                                                                            \
        _Pragma("unroll") for (int j = 0; j < CHAIN; j++)                                                    \
        {                                                                                                    \
            link;                                                                                            \
        }                                                                                                    \
    }

extern "C" __global__ void chain(int kind, int n, unsigned *words, unsigned *out)
{
    __shared__ unsigned ring[32];
    unsigned x = threadIdx.x, y = (unsigned)n;
    float f = x;
    double d = x;
    unsigned place = (unsigned)__cvta_generic_to_shared(&ring[x]);
    ring[x] = kind == SHARED ? place : 0; // each points to itself
    __syncthreads();
    switch (kind) {
    case FMA:
        REPEAT(f = f * 0.5f + 1.0f)
        break;
    case LOGIC_AND_ADD:
        REPEAT(asm volatile("xor.b32 %0, %0, %1;\n\tadd.u32 %0, %0, %1;" : "+r"(x) : "r"(y)))
        break;
    case MAD:
        REPEAT(asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(y)))
        break;
    case DOUBLE:
        REPEAT(d = d * 0.5 + 1.0)
        break;
    case SPECIAL:
        REPEAT(asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f)))
        break;
    case SHUFFLE:
        REPEAT(x = __shfl_xor_sync(0xffffffff, x, 1 + j % 16))
        break;
    case TO_INT:
        REPEAT(x = (unsigned)__float2int_rn(__uint_as_float(x)))
        break;
    case FROM_INT:
        REPEAT(x = __float_as_uint(__int2float_rn((int)x)))
        break;
    case SHARED:
        REPEAT(asm volatile("ld.shared.u32 %0, [%0];" : "+r"(place)))
        break;
    case SHARED_ATOMIC:
        x = 0;
        if (threadIdx.x == 0)
            REPEAT(asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(x) : "r"(place) : "memory"))
        break;
    case ATOMIC:
        x = 0;
        if (threadIdx.x == 0)
            REPEAT(asm volatile("atom.global.add.u32 %0, [%1], %0;"
                                : "+r"(x)
                                : "l"(words + threadIdx.x)
                                : "memory"))
        break;
    case SWAP:
    case SWAP_OF_ALL: // never equal to what is compared with
        x = 0;
        if (threadIdx.x == 0 || kind == SWAP_OF_ALL)
            REPEAT(asm volatile("atom.global.cas.b32 %0, [%1], -1, %0;" : "+r"(x) : "l"(words) : "memory"))
        break;
    }
    out[threadIdx.x] = x + place + __float_as_uint(f) + (unsigned)d;
}
