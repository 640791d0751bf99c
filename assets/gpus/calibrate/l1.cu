// All SMs, 32 warps each, read 32 KB that stay in L1: lane i of a warp takes word i * stride of 1024. By the stride, a
// request is one sector (0), one line of four (1), eight lines (8) or 32 lines of one sector each (32).
//@ param   kind = 0
//@ param   stride = 1
//@ param   n = 10
//@ scratch data uint4[8192 / 4]
//@ scratch out unsigned[1]
//@ launch  fill<<<8, 1024>>>(data)
//@ launch  hits<<<sm_count, 1024>>>(kind, stride, n, data, out)
enum { LOAD, LOAD_4 };
enum { WORDS = 1024, PARTS = 8 };

extern "C" __global__ void fill(unsigned *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

#define REPEAT(access)                                                                                       \
    for (int i = 0; i < n; i++, at = (at + 32) % WORDS) {                                                    \
        const unsigned *from = data + at;                                                                    \
        _Pragma("unroll") for (int part = 0; part < PARTS; part++)                                           \
        {                                                                                                    \
            const unsigned *to = from + part * WORDS;                                                        \
            access;                                                                                          \
        }                                                                                                    \
    }

extern "C" __global__ void __launch_bounds__(1024)
    hits(int kind, int stride, int n, const unsigned *data, unsigned *out)
{
    unsigned at = threadIdx.x % 32 * (unsigned)stride % WORDS, sum = 0;
    unsigned x, y, z, w;
    if (kind == LOAD)
        REPEAT(asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(to)); sum ^= x)
    else
        REPEAT(asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                            : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                            : "l"(to));
               sum ^= x ^ y ^ z ^ w)
    if (sum == 0x600df00d)
        *out = sum;
}
