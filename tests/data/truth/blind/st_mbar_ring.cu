//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_mbar_ring<<<2, 256>>>(a, b, f, d)
// Producer and consumer warps over a ring of three slots: two producer warps make data by
// arithmetic, six consumer warps reduce it. Full and empty barriers, phases by parity.
struct Ring { unsigned long long full[3], empty[3]; };
__device__ __forceinline__ void arrive(unsigned long long *p)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}
__device__ __forceinline__ void wait(unsigned long long *p, unsigned ph)
{
    unsigned done;
    do {
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n\tselp.b32 %0, 1, 0, p;\n\t}"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(p)), "r"(ph) : "memory");
    } while (!done);
}
extern "C" __global__ void st_mbar_ring(int *a, int *b, float *f, double *d)
{
    __shared__ Ring R;
    __shared__ int slot[3][192];
    const int t = threadIdx.x, lane = t & 31, w = t >> 5;
    if (t < 3) {
        asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"((unsigned)__cvta_generic_to_shared(&R.full[t])) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], 6;" ::"r"((unsigned)__cvta_generic_to_shared(&R.empty[t])) : "memory");
    }
    __syncthreads();
    const int N = 20;
    if (w < 2) {
        int s = 0; unsigned ph = 1;                    // first wait on an untouched barrier passes at once
        for (int n = 0; n < N; n++) {
            wait(&R.empty[s], ph);
            for (int i = w * 96 + lane; i < w * 96 + 96; i += 32) {
                unsigned v = (unsigned)a[(blockIdx.x * N + n) * 192 + i];
                slot[s][i] = (int)((v ^ (v >> 15)) * 2246822519u);
            }
            __syncwarp();
            if (lane == 0) arrive(&R.full[s]);
            if (++s == 3) { s = 0; ph ^= 1; }
        }
    } else {
        int s = 0; unsigned ph = 0; int c = t - 64;    // 0..191
        int mx = 0x80000000; unsigned sum = 0;
        for (int n = 0; n < N; n++) {
            wait(&R.full[s], ph);
            int v = slot[s][c], u = slot[s][(c + 96) % 192];
            __syncwarp();
            if (lane == 0) arrive(&R.empty[s]);
            mx = max(mx, v);
            sum = sum * 5u + (unsigned)(v - u);
            if (++s == 3) { s = 0; ph ^= 1; }
        }
        b[blockIdx.x * 384 + c] = mx;
        b[blockIdx.x * 384 + 192 + c] = (int)sum;
    }
}
