//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_ldm_bcast<<<1, 256>>>(a, b, f, d)
// ldmatrix.x4 where several lanes point to one and the same row.
// Each of the 8 warps uses a different pattern of repetition.
extern "C" __global__ void st_ldm_bcast(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(16) uint4 rows[64 * 4];     // 64 rows, pitch 64 bytes
    const unsigned tid = threadIdx.x, lane = tid % 32, w = tid / 32;
    rows[tid] = reinterpret_cast<const uint4 *>(a)[tid];
    __syncthreads();
    unsigned row;
    if      (w == 0) row = 5;                          // one row for all
    else if (w == 1) row = lane >> 1;                  // pairs
    else if (w == 2) row = lane >> 3;                  // one row per matrix
    else if (w == 3) row = lane & 7;                   // four equal matrices
    else if (w == 4) row = 31 - lane;                  // backwards
    else if (w == 5) row = (lane & 1) ? 63 : lane;     // every odd lane the last row
    else if (w == 6) row = (lane & 15) * 3;            // stride of three rows, two equal halves
    else             row = (lane < 16) ? 0 : lane * 2 - 1;
    for (int c = 0; c < 4; c++) {
        unsigned ad = (unsigned)__cvta_generic_to_shared(&rows[row * 4 + c]);
        unsigned q[4];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(ad));
#pragma unroll
        for (int i = 0; i < 4; i++) b[((c * 4 + i) * 8 + w) * 32 + lane] = q[i];
        // x2 and x1 on the same row set, transposed
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                     : "=r"(q[0]), "=r"(q[1]) : "r"(ad));
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(q[2]) : "r"(ad));
        b[16384 + (c * 8 + w) * 32 + lane] = q[0] + q[1] * 3 + q[2] * 5;
    }
}
