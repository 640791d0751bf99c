// Much more than fits into L2, n times: read, written, copied from one half to the other, or one sector read of every
// `stride` bytes, in order or scattered.
//@ param   kind = 0
//@ param   bytes = 1 << 20
//@ param   stride = 128
//@ param   n = 1
//@ needs   bytes % (1 << 20) == 0
//@ scratch data uint4[bytes / 16]
//@ scratch out unsigned[1]
//@ launch  fill<<<sm_count * 2, 1024>>>(data, bytes / 4)
//@ launch  stream<<<sm_count * 2, 512>>>(kind, bytes, stride, n, data, out)
enum { READ, WRITE, COPY, SECTORS, SCATTERED };
enum { PARTS = 8, BLOCK = 512 }; // a tile has so many vectors for each thread of a block

extern "C" __global__ void fill(unsigned *data, size_t words)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
        unsigned x = (unsigned)i;
        x = (x ^ x >> 16) * 0x7feb352d;
        x = (x ^ x >> 15) * 0x846ca68b;
        data[i] = x ^ x >> 16;
    }
}

#define TILES(count) for (size_t tile = blockIdx.x; tile < (count) / (PARTS * BLOCK); tile += gridDim.x)
#define EACH_PART _Pragma("unroll") for (int part = 0; part < PARTS; part++)

extern "C" __global__ void __launch_bounds__(BLOCK)
    stream(int kind, size_t bytes, size_t stride, int n, uint4 *data, unsigned *out)
{
    size_t count = bytes / 16, sectors = bytes / stride;
    unsigned sum = 0;
    for (int i = 0; i < n; i++) {
        if (kind == READ)
            TILES(count)
            {
                const uint4 *from = data + tile * PARTS * BLOCK + threadIdx.x;
                uint4 v[PARTS];
                EACH_PART v[part] = from[part * BLOCK];
                EACH_PART sum ^= v[part].x ^ v[part].y ^ v[part].z ^ v[part].w;
            }
        else if (kind == WRITE)
            TILES(count)
            {
                uint4 *to = data + tile * PARTS * BLOCK + threadIdx.x;
                unsigned x = threadIdx.x * 0x9e3779b9u + i;
                EACH_PART to[part * BLOCK] = make_uint4(x, ~x, x, ~x);
            }
        else if (kind == COPY)
            TILES(count / 2)
            {
                size_t at = tile * PARTS * BLOCK + threadIdx.x;
                uint4 v[PARTS];
                EACH_PART v[part] = data[at + part * BLOCK];
                EACH_PART data[count / 2 + at + part * BLOCK] = v[part];
            }
        else
            TILES(sectors)
            {
                unsigned v[PARTS];
                EACH_PART
                {
                    size_t at = tile * PARTS * BLOCK + part * BLOCK + threadIdx.x;
                    if (kind == SCATTERED) // an odd factor visits each of a power of two once
                        at = (at + i) * 0x9e3779b1u & (sectors - 1);
                    v[part] = *(const unsigned *)((const char *)data + at * stride);
                }
                EACH_PART sum ^= v[part];
            }
    }
    if (sum == 0x600df00d)
        *out = sum;
}
