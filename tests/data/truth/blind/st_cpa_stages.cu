//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_cpa_stages<<<4, 128>>>(a, b, f, d)
// Four-stage cp.async ring (wait_group 2) feeding a three-point stencil over 24 tiles of 512 words;
// the last tiles use empty groups.
#define STAGES 4
#define TILE 512
#define NT 24
extern "C" __global__ void st_cpa_stages(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(16) int ring[STAGES][TILE];
    const int t = threadIdx.x;
    const int *src = a + blockIdx.x * (TILE * NT);
    auto issue = [&](int tile) {
        if (tile < NT) {
            unsigned dst = (unsigned)__cvta_generic_to_shared(&ring[tile % STAGES][t * 4]);
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(dst), "l"(src + tile * TILE + t * 4) : "memory");
        }
        asm volatile("cp.async.commit_group;\n" ::: "memory");
    };
    for (int i = 0; i < STAGES - 1; i++) issue(i);
    unsigned acc0 = 0, acc1 = 0, acc2 = 0, acc3 = 0;
    for (int tile = 0; tile < NT; tile++) {
        asm volatile("cp.async.wait_group %0;\n" ::"n"(STAGES - 2) : "memory");
        __syncthreads();                     // data of this tile visible, slot (tile-1)%STAGES free
        issue(tile + STAGES - 1);
        const int *r = ring[tile % STAGES];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int i = t + j * 128;
            unsigned v = (unsigned)r[(i + TILE - 1) % TILE] - 2u * (unsigned)r[i] + (unsigned)r[(i + 1) % TILE];
            if (j == 0) acc0 += v; else if (j == 1) acc1 ^= v; else if (j == 2) acc2 = acc2 * 33 + v; else acc3 = max(acc3, v);
        }
    }
    int *o = b + blockIdx.x * 512 + t;
    o[0] = acc0; o[128] = acc1; o[256] = acc2; o[384] = acc3;
}
