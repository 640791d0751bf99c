// All SMs, 32 warps each, with independent instructions of one kind: how many lanes an SM serves in a cycle.
//@ param   kind = 0
//@ param   n = 10
//@ scratch out unsigned[1]
//@ launch  rate<<<sm_count, 1024>>>(kind, n, out)
enum { FMA, FMA_AND_LOGIC, LOGIC, ADD, MAD, DOUBLE, SPECIAL, TO_INT, FROM_INT, SHUFFLE };
enum { CHAINS = 8, TIMES = 32 }; // 256 instructions in an iteration, beside three or four of the loop

// `link` is the instruction, on chain `c` of a thread; `a` and `b` are the chains beside it.
#define REPEAT(link)                                                                                         \
    for (int i = 0; i < n; i++) {                                                                            \
        _Pragma("unroll") for (int j = 0; j < TIMES; j++)                                                    \
        {                                                                                                    \
            _Pragma("unroll") for (int c = 0; c < CHAINS; c++)                                               \
            {                                                                                                \
                const int a = (c + 1) % CHAINS, b = (c + 2) % CHAINS;                                        \
                (void)a;                                                                                     \
                (void)b;                                                                                     \
                link;                                                                                        \
            }                                                                                                \
        }                                                                                                    \
    }
// A function of three registers that no two in a row can be merged into one of.
#define LOGIC_OF(x, y, z) asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(x) : "r"(y), "r"(z))

extern "C" __global__ void __launch_bounds__(1024) rate(int kind, int n, unsigned *out)
{
    unsigned x[CHAINS];
    float f[CHAINS];
    double d[CHAINS];
    unsigned sum = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; c++) {
        x[c] = threadIdx.x * 0x9e3779b9u + c;
        f[c] = threadIdx.x + c;
        d[c] = threadIdx.x + c;
    }
    switch (kind) {
    case FMA:
        REPEAT(f[c] = f[c] * 0.5f + 1.0f)
        break;
    case FMA_AND_LOGIC:
        REPEAT(if (c % 2) f[c] = f[c] * 0.5f + 1.0f; else LOGIC_OF(x[c], x[b], x[(c + 4) % CHAINS]))
        break;
    case LOGIC:
        REPEAT(LOGIC_OF(x[c], x[a], x[b]))
        break;
    case ADD:
        REPEAT(asm volatile("add.u32 %0, %0, %1;" : "+r"(x[c]) : "r"(x[a])))
        break;
    case MAD:
        REPEAT(asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x[c]) : "r"(x[a]), "r"(x[b])))
        break;
    case DOUBLE:
        REPEAT(d[c] = d[c] * 0.5 + 1.0)
        break;
    case SPECIAL:
        REPEAT(asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f[c])))
        break;
    case TO_INT:
        REPEAT(x[c] = (unsigned)__float2int_rn(__uint_as_float(x[c])))
        break;
    case FROM_INT:
        REPEAT(x[c] = __float_as_uint(__int2float_rn((int)x[c])))
        break;
    case SHUFFLE:
        REPEAT(x[c] = __shfl_xor_sync(0xffffffff, x[c], 1 + j % 16))
        break;
    }
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        sum += x[c] + __float_as_uint(f[c]) + (unsigned)d[c];
    if (sum == 0x600df00d)
        *out = sum;
}
