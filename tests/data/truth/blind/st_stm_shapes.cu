//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_stm_shapes<<<2, 64>>>(a, b, f, d)
// stmatrix x1/x2/x4 with and without .trans, several pitches; contents read back by words.
__device__ __forceinline__ unsigned sa(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
extern "C" __global__ void st_stm_shapes(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(16) int buf[2][1280];          // 5120 bytes per warp
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    int *my = buf[w];
    const int pitches[4] = {16, 48, 80, 128};
    const int g = blockIdx.x * 2 + w;
    unsigned v0 = a[g * 128 + lane], v1 = a[g * 128 + 32 + lane],
             v2 = a[g * 128 + 64 + lane], v3 = a[g * 128 + 96 + lane];
#pragma unroll
    for (int pi = 0; pi < 4; pi++) {
        const int P = pitches[pi];
#pragma unroll
        for (int mode = 0; mode < 6; mode++) {
            for (int i = lane; i < 1280; i += 32) my[i] = 0;
            __syncwarp();
            unsigned ad = sa(my) + lane * P;
            if (mode == 0)
                asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" :: "r"(ad), "r"(v0) : "memory");
            else if (mode == 1)
                asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" :: "r"(ad), "r"(v1) : "memory");
            else if (mode == 2)
                asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" :: "r"(ad), "r"(v0), "r"(v1) : "memory");
            else if (mode == 3)
                asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};" :: "r"(ad), "r"(v2), "r"(v3) : "memory");
            else if (mode == 4)
                asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" :: "r"(ad), "r"(v0), "r"(v1), "r"(v2), "r"(v3) : "memory");
            else
                asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" :: "r"(ad), "r"(v3), "r"(v1), "r"(v0), "r"(v2) : "memory");
            __syncwarp();
            unsigned h = 0;
            for (int i = lane; i < 1280; i += 32) h = h * 1664525u + (unsigned)my[i];
            __syncwarp();
            b[((g * 4 + pi) * 6 + mode) * 32 + lane] = (int)h;
        }
    }
}
