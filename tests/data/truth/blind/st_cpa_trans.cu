//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_cpa_trans<<<8, 256>>>(a, b, f, d)
// Transposition of a 32 x 64 tile through shared memory by 4-byte cp.async: the transposed
// place is the destination; pitch 33 in even blocks, 32 (conflicts) in odd ones; 8-byte strided too.
extern "C" __global__ void st_cpa_trans(int *a, int *b, float *f, double *d)
{
    __shared__ int tile[64 * 33];
    __shared__ __align__(8) int2 str[256];
    const int P = (blockIdx.x & 1) ? 32 : 33;
    const int tx = threadIdx.x & 31, ty = threadIdx.x >> 5;
    const int *src = a + blockIdx.x * 2048;
    for (int r = ty; r < 32; r += 8)
        for (int c = tx; c < 64; c += 32) {
            unsigned dst = (unsigned)__cvta_generic_to_shared(&tile[c * P + r]);
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(dst), "l"(src + r * 64 + c) : "memory");
        }
    asm volatile("cp.async.commit_group;" ::: "memory");
    // every 7th pair of words, modulo the buffer
    {
        unsigned dst = (unsigned)__cvta_generic_to_shared(&str[(threadIdx.x * 5) & 255]);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(dst), "l"(a + ((blockIdx.x * 999 + threadIdx.x * 7) & 32767) * 2) : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    for (int i = threadIdx.x; i < 2048; i += 256)
        b[blockIdx.x * 2048 + i] = tile[(i >> 5) * P + (i & 31)];
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    int2 v = str[threadIdx.x ^ 1];
    b[16384 + blockIdx.x * 256 + threadIdx.x] = v.x - v.y;
}
