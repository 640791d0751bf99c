// Single accesses at hashed addresses, whose rows are those of `probes list`: tests/data/truth/matrices.csv has what Nsight Compute
// counted of ldmatrix and stmatrix on an NVIDIA H100 80GB HBM3, 2026-11-25.
#include <cstdio>
#include <cstdlib>
#include <cstring>
static __host__ __device__ unsigned mix(unsigned x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16; return x; }
__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
// Offsets of lane l in units of the access: hash below a range.
static __host__ __device__ unsigned offset(int seed, int range, int lane) { return mix((unsigned)(seed * 4099 + lane)) % (unsigned)range; }
template <int FORM> __global__ void probe_ldsm(int seed, int range, unsigned *out)
{
    __shared__ __align__(128) char s[16384];
    unsigned r0 = 0, r1 = 0, r2 = 0, r3 = 0, p = at(s) + offset(seed, range, threadIdx.x) * 16;
    if (FORM == 1) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r0) : "r"(p));
    if (FORM == 2) asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(p));
    if (FORM == 4) asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(p));
    if (FORM == 14) asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(p));
    out[threadIdx.x] = r0 + r1 + r2 + r3;
}
template <int FORM> __global__ void probe_stsm(int seed, int range, unsigned *out)
{
    __shared__ __align__(128) char s[16384];
    unsigned r0 = out[threadIdx.x], p = at(s) + offset(seed, range, threadIdx.x) * 16;
    if (FORM == 1) asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%1], {%0};" :: "r"(r0), "r"(p) : "memory");
    if (FORM == 2) asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%1], {%0,%0};" :: "r"(r0), "r"(p) : "memory");
    if (FORM == 4) asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%1], {%0,%0,%0,%0};" :: "r"(r0), "r"(p) : "memory");
}
template <int BYTES> __global__ void probe_copy(int seed, int range, int from_range, const char *in, unsigned mask)
{
    __shared__ __align__(128) char s[16384];
    int l = threadIdx.x;
    unsigned to = at(s) + offset(seed, range, l) * BYTES;
    const char *from = in + (from_range ? offset(seed + 77, from_range, l) : l) * BYTES;
    if (mask >> l & 1) {
        if (BYTES == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(from) : "memory");
        if (BYTES == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" :: "r"(to), "l"(from) : "memory");
        if (BYTES == 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(from) : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
}
int main(int argc, char **argv)
{
    bool list = argc > 1;
    unsigned *out = NULL;
    if (!list) { cudaMalloc(&out, 1 << 20); cudaMemset(out, 0, 1 << 20); }
    const int ranges[] = { 8, 16, 32, 64, 256 };
    int seed = 1;
#define TRY(name, launch) do { if (list) printf("%s,%d,%d,%d,%08x\n", name, seed, range, from, mask); else launch; seed++; } while (0)
    for (int r = 0; r < 5; r++)
        for (int i = 0; i < 8; i++) {
            int range = ranges[r], from = 0; unsigned mask = ~0u;
            TRY("ldsm1", (probe_ldsm<1><<<1, 32>>>(seed, range, out)));
            TRY("ldsm2", (probe_ldsm<2><<<1, 32>>>(seed, range, out)));
            TRY("ldsm4", (probe_ldsm<4><<<1, 32>>>(seed, range, out)));
            if (i < 2) TRY("ldsm4t", (probe_ldsm<14><<<1, 32>>>(seed, range, out)));
            if (i < 4) {
                TRY("stsm1", (probe_stsm<1><<<1, 32>>>(seed, range, out)));
                TRY("stsm2", (probe_stsm<2><<<1, 32>>>(seed, range, out)));
                TRY("stsm4", (probe_stsm<4><<<1, 32>>>(seed, range, out)));
                from = i == 0 ? 0 : i == 1 ? 64 : i == 2 ? 256 : 1024;
                if (i == 3) mask = mix(seed) | 1;
                TRY("copy16", (probe_copy<16><<<1, 32>>>(seed, range, from, (const char *)out, mask)));
                TRY("copy8", (probe_copy<8><<<1, 32>>>(seed, range * 2, from, (const char *)out, mask)));
                TRY("copy4", (probe_copy<4><<<1, 32>>>(seed, range * 4, from, (const char *)out, mask)));
            }
        }
    if (!list) { cudaError_t e = cudaDeviceSynchronize(); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); return 1; } }
    return 0;
}
