// All SMs, 32 warps each, in shared memory: lane i of a warp takes word i * stride of 1024, which the banks serve in as
// many wavefronts as there are words that meet in a bank.
//@ param   kind = 0
//@ param   stride = 1
//@ param   n = 10
//@ scratch out unsigned[1]
//@ launch  wavefronts<<<sm_count, 1024>>>(kind, stride, n, out)
enum { LOAD, LOAD_4, STORE, ATOMIC, ATOMIC_RESULT };
enum { WORDS = 1024, PARTS = 8 }; // a part for each of the instructions in an iteration

#define REPEAT(access)                                                                                       \
    for (int i = 0; i < n; i++, place = first + (place - first + 128) % (WORDS * 4)) {                       \
        _Pragma("unroll") for (int part = 0; part < PARTS; part++)                                           \
        {                                                                                                    \
            unsigned to = place + part * WORDS * 4;                                                          \
            access;                                                                                          \
        }                                                                                                    \
    }

extern "C" __global__ void __launch_bounds__(1024) wavefronts(int kind, int stride, int n, unsigned *out)
{
    __shared__ uint4 memory[WORDS * PARTS / 4];
    unsigned *words = (unsigned *)memory;
    unsigned first = (unsigned)__cvta_generic_to_shared(words), one = (unsigned)n, sum = 0;
    unsigned place = first + threadIdx.x % 32 * (unsigned)stride % WORDS * 4, own = first + threadIdx.x * 4;
    unsigned x, y, z, w;
    for (int i = threadIdx.x; i < WORDS * PARTS; i += blockDim.x)
        words[i] = i;
    __syncthreads();
    switch (kind) {
    case LOAD:
        REPEAT(asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(to)); sum ^= x)
        break;
    case LOAD_4:
        REPEAT(asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                            : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                            : "r"(to));
               sum ^= x ^ y ^ z ^ w)
        break;
    case STORE: // each thread its own word
        REPEAT(asm volatile("st.shared.u32 [%0], %1;" : : "r"(to - place + own), "r"(one + i) : "memory"))
        break;
    case ATOMIC:
        REPEAT(asm volatile("red.shared.add.u32 [%0], %1;" : : "r"(to), "r"(one) : "memory"))
        break;
    case ATOMIC_RESULT:
        REPEAT(asm volatile("atom.shared.add.u32 %0, [%1], %2;"
                            : "=r"(x)
                            : "r"(to), "r"(one)
                            : "memory");
               sum ^= x)
        break;
    }
    if (sum == 0x600df00d)
        *out = sum;
}
