//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_ldm_x1_pads<<<2, 32>>>(a, b, f, d)
// ldmatrix.x1, one matrix at a time, over many row pitches and 16-byte offsets.
extern "C" __global__ void st_ldm_x1_pads(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(128) unsigned char sm[4096];
    const int lane = threadIdx.x;
    for (int i = lane; i < 1024; i += 32)
        reinterpret_cast<int *>(sm)[i] = a[blockIdx.x * 1024 + i];
    __syncthreads();

    const unsigned base = (unsigned)__cvta_generic_to_shared(sm);
    const int pitch[10] = {16, 32, 48, 64, 80, 112, 128, 144, 256, 272};
#pragma unroll
    for (int p = 0; p < 10; p++) {
        unsigned acc = 0;
#pragma unroll 1
        for (int t = 0; t < 4; t++) {
            unsigned addr = base + (lane & 7) * pitch[p] + t * 16;
            unsigned r;
            asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(addr) : "memory");
            acc = acc * 31u + r;
        }
        b[(blockIdx.x * 10 + p) * 32 + lane] = (int)acc;
    }
}
