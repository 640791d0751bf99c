// A region that fits into L2, again and again, too large for L1: read by every SM, or written to slots that each thread
// has to itself, whole sectors or one word of each; one word of each line, read or written by all; or read once by all
// together in each of 8 * n passes, always other parts by an SM.
//@ param   kind = 0
//@ param   bytes = 1 << 21
//@ param   blocks = 0
//@ param   n = 8
//@ scratch data uint4[bytes / 16]
//@ scratch out unsigned[1]
//@ launch  fill<<<sm_count, 1024>>>(data, bytes / 4)
//@ launch  traffic<<<blocks + (blocks == 0) * sm_count, 1024>>>(
//@             kind, bytes / 16, n, data, out)
enum { READ, WRITE, WRITE_PART, READ_LINES, WRITE_LINES, READ_PASSES };
enum { PARTS = 8 }; // accesses in an iteration

extern "C" __global__ void fill(unsigned *data, unsigned words)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x)
        data[i] = i * 0x9e3779b9u;
}

extern "C" __global__ void __launch_bounds__(1024)
    traffic(int kind, unsigned count, int n, uint4 *data, unsigned *out)
{
    unsigned threads = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x,
             at = first % count;
    unsigned sum = 0, step = threads % count;
    unsigned x, y, z, w;
    if (kind == READ)
        for (int i = 0; i < n; i++) {
#pragma unroll
            for (int part = 0; part < PARTS; part++) {
                asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                             : "l"(data + at));
                sum ^= x ^ y ^ z ^ w;
                at += step;
                at -= at < count ? 0 : count;
            }
        }
    else if (kind == WRITE && first < count)
        for (int i = 0; i < n; i++) {
#pragma unroll
            for (int part = 0; part < PARTS; part++) {
                asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};"
                             :
                             : "l"(data + at), "r"(i)
                             : "memory");
                at = at + threads < count ? at + threads : first;
            }
        }
    else if (kind == WRITE_PART && first < count / 2) {
        unsigned sectors = count / 2;
        at = first;
        for (int i = 0; i < n; i++) {
#pragma unroll
            for (int part = 0; part < PARTS; part++) {
                asm volatile("st.global.u32 [%0], %1;" : : "l"(data + 2 * at), "r"(i) : "memory");
                at = at + threads < sectors ? at + threads : first;
            }
        }
    } else if (kind == READ_LINES || kind == WRITE_LINES) {
        unsigned lines = count / 8;
        at = first % lines;
        step = threads % lines;
        for (int i = 0; i < n; i++) {
#pragma unroll
            for (int part = 0; part < PARTS; part++) {
                if (kind == READ_LINES) {
                    asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(data + 8 * at));
                    sum ^= x;
                } else {
                    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;"
                                 :
                                 : "l"(data + 8 * at), "r"(i)
                                 : "memory");
                }
                at += step;
                at -= at < lines ? 0 : lines;
            }
        }
    } else if (kind == READ_PASSES) {
        for (int pass = 0; pass < PARTS * n; pass++) {
            for (at = (blockIdx.x + (unsigned)pass) % gridDim.x * blockDim.x + threadIdx.x; at < count;
                 at += 4 * threads) {
#pragma unroll
                for (unsigned part = 0; part < 4; part++) {
                    x = y = z = w = 0;
                    if (at + part * threads < count)
                        asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                                     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                                     : "l"(data + at + part * threads));
                    sum ^= x ^ y ^ z ^ w;
                }
            }
        }
    }
    if (sum == 0x600df00d)
        *out = sum;
}
