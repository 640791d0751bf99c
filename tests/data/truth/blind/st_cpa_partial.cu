//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_cpa_partial<<<4, 116>>>(a, b, f, d)
// cp.async in partial warps (116 threads), in data-dependent branches with other sizes in
// each arm, in loops with a trip count per lane, and a wait in one branch only.
__device__ __forceinline__ unsigned sptr(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
extern "C" __global__ void st_cpa_partial(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(16) int4 s[116];
    __shared__ __align__(16) int lst[116 * 8];
    const int t = threadIdx.x;
    const int key = a[blockIdx.x * 116 + t];
    s[t] = make_int4(-1, -2, -3, -4);
    for (int i = 0; i < 8; i++) lst[t * 8 + i] = i;
    // own slots are written before by the same thread with ordinary stores
    const int *g = a + 1024 + blockIdx.x * 8192;
    switch (key & 3) {
    case 0:
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(sptr(&s[t].y)), "l"(g + t) : "memory");
        break;
    case 1:
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(sptr(&s[t].z)), "l"(g + 2 * t) : "memory");
        break;
    case 2:
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sptr(&s[t])), "l"(g + 4 * t) : "memory");
        asm volatile("cp.async.wait_all;" ::: "memory");
        break;
    default:
        break;
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    int n = (key >> 4) & 7;
    for (int i = 0; i < n; i++)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(sptr(&lst[t * 8 + i])), "l"(g + 1024 + i * 116 + t) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    if (t & 1) asm volatile("cp.async.wait_group 0;" ::: "memory");
    else {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        int4 v = s[t];                                     // the first group is there
        f[blockIdx.x * 116 + t] = (float)((v.x ^ v.y ^ v.z ^ v.w) & 0xffff);
        asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
    __syncthreads();
    int u = 115 - t;
    int4 v = s[u];
    int h = 0;
    for (int i = 0; i < 8; i++) h = h * 31 + lst[u * 8 + i];
    int *o = b + (blockIdx.x * 116 + t) * 5;
    o[0] = v.x; o[1] = v.y; o[2] = v.z; o[3] = v.w; o[4] = h;
}
