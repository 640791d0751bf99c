//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_ldm_trans_odd<<<3, 96>>>(a, b, f, d)
// ldmatrix .trans in x1, x2 and x4, with pitches that are odd multiples of 16 bytes
// (and one even pitch for comparison).
#include <cuda_fp16.h>
template <int P>   // pitch in halves
__device__ void work(__half *sm, const int *a, int *b, int slot)
{
    int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    __syncthreads();
    for (int i = tid; i < 32 * 16; i += blockDim.x) {       // 32 rows of 16 words
        int r = i / 16, c = i % 16;
        *reinterpret_cast<int *>(sm + r * P + c * 2) = a[(blockIdx.x * 8 + slot) * 512 + i];
    }
    __syncthreads();
    int *o = b + ((blockIdx.x * 5 + slot) * 96 + tid) * 4;
    unsigned r0 = 0, r1 = 0, r2 = 0, r3 = 0;
    if (warp == 0) {
        for (int q = 0; q < 4; q++) {
            unsigned ad = (unsigned)__cvta_generic_to_shared(sm + (q * 8 + (lane & 7)) * P + q * 8);
            unsigned t;
            asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(t) : "r"(ad));
            if (q == 0) r0 = t; else if (q == 1) r1 = t; else if (q == 2) r2 = t; else r3 = t;
        }
    } else if (warp == 1) {
        unsigned ad = (unsigned)__cvta_generic_to_shared(sm + (lane & 15) * P);
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(ad));
        ad += (16 * P + 8) * 2;
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r2), "=r"(r3) : "r"(ad));
    } else {
        unsigned ad = (unsigned)__cvta_generic_to_shared(sm + lane * P + ((lane >> 3) ^ 1) * 8);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(ad));
    }
    *reinterpret_cast<int4 *>(o) = make_int4(r0, r1, r2, r3);
}
extern "C" __global__ void st_ldm_trans_odd(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(16) __half sm[32 * 88];
    work<40>(sm, a, b, 0);
    work<56>(sm, a, b, 1);
    work<72>(sm, a, b, 2);
    work<88>(sm, a, b, 3);
    work<64>(sm, a, b, 4);
}
