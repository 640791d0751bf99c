//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_ldm_x4_swz<<<2, 128>>>(a, b, f, d)
// ldmatrix.x4 over a 64 x 128 byte tile kept in shared memory under several swizzles.
__device__ __forceinline__ unsigned swz(int kind, unsigned row, unsigned chunk)
{
    switch (kind) {
    case 0: return chunk;                               // none: 8-way conflicts
    case 1: return chunk ^ (row & 7);                   // 128-byte swizzle
    case 2: return chunk ^ ((row >> 1) & 3);            // 64-byte swizzle
    case 3: return chunk ^ ((row >> 2) & 1);            // 32-byte swizzle
    case 4: return (chunk + row) & 7;                   // rotation
    case 5: return (chunk + 3 * (row >> 1)) & 7;        // slow rotation
    default: return chunk ^ ((row & 1) << 2) ^ ((row & 2)) ^ ((row & 4) >> 2); // bit-reversed xor
    }
}
template <int KIND>
__device__ __forceinline__ void once(int4 *sm, const int *a, int *b)
{
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    __syncthreads();
    const int4 *src = reinterpret_cast<const int4 *>(a) + (blockIdx.x * 7 + KIND) * 512;
#pragma unroll
    for (int i = tid; i < 512; i += 128) {
        int r = i >> 3, c = i & 7;
        sm[r * 8 + swz(KIND, r, c)] = src[i];
    }
    __syncthreads();
    const unsigned base = (unsigned)__cvta_generic_to_shared(sm);
    unsigned x0 = 0, x1 = 0, x2 = 0, x3 = 0;
#pragma unroll
    for (int ks = 0; ks < 4; ks++) {
        int row = warp * 16 + (lane & 15), ch = ks * 2 + (lane >> 4);
        unsigned r0, r1, r2, r3;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
                     : "r"(base + (row * 8 + swz(KIND, row, ch)) * 16));
        x0 = (x0 << 3 | x0 >> 29) ^ r0;
        x1 = (x1 << 3 | x1 >> 29) ^ r1;
        x2 = (x2 << 3 | x2 >> 29) ^ r2;
        x3 = (x3 << 3 | x3 >> 29) ^ r3;
    }
    int4 v = make_int4(x0, x1, x2, x3);
    reinterpret_cast<int4 *>(b)[(blockIdx.x * 7 + KIND) * 128 + tid] = v;
}
extern "C" __global__ void st_ldm_x4_swz(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(1024) int4 sm[512];
    once<0>(sm, a, b);
    once<1>(sm, a, b);
    once<2>(sm, a, b);
    once<3>(sm, a, b);
    once<4>(sm, a, b);
    once<5>(sm, a, b);
    once<6>(sm, a, b);
}
