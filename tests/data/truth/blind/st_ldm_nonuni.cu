//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_ldm_nonuni<<<4, 64>>>(a, b, f, d)
// ldmatrix with rows at non-uniform distances: triangular numbers, bit reversal,
// a look-up table of row indices and a data-dependent gather.
extern "C" __global__ void st_ldm_nonuni(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(16) int pool[512 * 4];        // 512 chunks of 16 bytes
    __shared__ unsigned short lut[64];
    const int t = threadIdx.x, lane = t & 31, w = t >> 5;
    for (int i = t; i < 2048; i += 64) pool[i] = a[(i * 5 + blockIdx.x * 77) & 65535];
    lut[t] = (unsigned short)(a[40000 + blockIdx.x * 64 + t] & 511);
    __syncthreads();
    const unsigned p = (unsigned)__cvta_generic_to_shared(pool);
    int *o = b + (blockIdx.x * 2 + w) * 512;
    unsigned r0, r1, r2, r3, ch;

    ch = (lane * (lane + 1) / 2 + w) & 511;            // triangular
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(p + ch * 16));
    o[lane] = r0; o[32 + lane] = r1; o[64 + lane] = r2; o[96 + lane] = r3;

    ch = (__brev(lane) >> 27) * 9 + w;                  // bit reversed
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(p + ch * 16));
    o[128 + lane] = r0; o[160 + lane] = r1; o[192 + lane] = r2; o[224 + lane] = r3;

    ch = lut[w * 32 + lane];                            // random gather
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(p + ch * 16));
    o[256 + lane] = r0; o[288 + lane] = r1; o[320 + lane] = r2; o[352 + lane] = r3;

    ch = ((r0 ^ r1) >> 7) & 511;                        // depends on the former load
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r0), "=r"(r1) : "r"(p + ch * 16));
    o[384 + lane] = r0; o[416 + lane] = r1;

    // every lane one bank group, then rows growing by 1,2,4,8,... chunks
    ch = (1u << (lane & 7)) + (lane >> 3) * 8;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(p + ch * 16));
    o[448 + lane] = r0 ^ r2; o[480 + lane] = r1 ^ r3;
}
