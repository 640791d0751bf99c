// All SMs add to words in L2: lane i of warp j, of those lanes that take part, to word i * lane_step + j * warp_step of
// `words`, a power of two, or scattered over them.
//@ param   kind = 0
//@ param   words = 32
//@ param   lanes = 32
//@ param   lane_step = 1
//@ param   warp_step = 0
//@ param   scattered = 0
//@ param   n = 4
//@ scratch data unsigned[words]
//@ scratch out unsigned[1]
//@ launch  clear<<<sm_count, 256>>>(data, words)
//@ launch  add<<<sm_count, 256>>>(kind, words, lanes, lane_step, warp_step,
//@             scattered, n, data, out)
enum { ADD, ADD_RESULT, ADD_FLOAT, SWAP };

extern "C" __global__ void clear(unsigned *data, unsigned words)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x)
        data[i] = 0;
}

#define REPEAT(access)                                                                                       \
    for (int i = 0; i < n; i++) {                                                                            \
        unsigned *to = data + ((scattered ? at >> 8 : at) & (words - 1));                                    \
        access;                                                                                              \
        at = scattered ? at * 0x9e3779b1u + 0x7feb352d : at + warps * warp_step;                             \
    }

extern "C" __global__ void add(int kind, unsigned words, unsigned lanes, unsigned lane_step,
                               unsigned warp_step, int scattered, int n, unsigned *data, unsigned *out)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, lane = thread % 32, warp = thread / 32;
    unsigned warps = gridDim.x * blockDim.x / 32, sum = 0, x;
    unsigned at = scattered ? (thread ^ thread << 7) * 0x846ca68bu : lane * lane_step + warp * warp_step;
    if (lane >= lanes)
        return;
    if (kind == ADD)
        REPEAT(asm volatile("red.global.add.u32 [%0], %1;" : : "l"(to), "r"(lane + 1) : "memory"))
    else if (kind == ADD_FLOAT)
        REPEAT(asm volatile("red.global.add.f32 [%0], %1;" : : "l"(to), "f"(1.0f) : "memory"))
    else if (kind == SWAP) // never equal to what is compared with
        REPEAT(asm volatile("atom.global.cas.b32 %0, [%1], -1, %2;"
                            : "=r"(x)
                            : "l"(to), "r"(lane)
                            : "memory");
               sum ^= x)
    else
        REPEAT(asm volatile("atom.global.add.u32 %0, [%1], %2;"
                            : "=r"(x)
                            : "l"(to), "r"(lane + 1)
                            : "memory");
               sum ^= x)
    if (sum == 0x600df00d)
        *out = sum;
}
