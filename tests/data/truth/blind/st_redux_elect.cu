//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_redux_elect<<<4, 96>>>(a, b, f, d)
// redux.sync in all its operations, whole and partial masks, in branches; elect.sync; griddepcontrol.
extern "C" __global__ void st_redux_elect(int *a, int *b, float *f, double *d)
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
    const int g = blockIdx.x * 96 + threadIdx.x, lane = threadIdx.x & 31;
    int v = a[g];
    unsigned u = (unsigned)v;
    const unsigned all = 0xffffffffu;
    int *o = b + g;
    int r; unsigned q;
    asm volatile("redux.sync.add.s32 %0, %1, %2;" : "=r"(r) : "r"(v), "r"(all)); o[0] = r;
    asm volatile("redux.sync.add.u32 %0, %1, %2;" : "=r"(q) : "r"(u & 0xffff), "r"(all)); o[384] = q;
    asm volatile("redux.sync.min.s32 %0, %1, %2;" : "=r"(r) : "r"(v), "r"(all)); o[768] = r;
    asm volatile("redux.sync.max.s32 %0, %1, %2;" : "=r"(r) : "r"(v), "r"(all)); o[1152] = r;
    asm volatile("redux.sync.min.u32 %0, %1, %2;" : "=r"(q) : "r"(u), "r"(all)); o[1536] = q;
    asm volatile("redux.sync.max.u32 %0, %1, %2;" : "=r"(q) : "r"(u), "r"(all)); o[1920] = q;
    asm volatile("redux.sync.and.b32 %0, %1, %2;" : "=r"(q) : "r"(u | 0x0f0f0f0f), "r"(all)); o[2304] = q;
    asm volatile("redux.sync.or.b32 %0, %1, %2;" : "=r"(q) : "r"(u & 0x11111111 & (u >> 3)), "r"(all)); o[2688] = q;
    asm volatile("redux.sync.xor.b32 %0, %1, %2;" : "=r"(q) : "r"(u), "r"(all)); o[3072] = q;
    // by intrinsics, in a branch with a mask by ballot
    unsigned odd = __ballot_sync(all, v & 1);
    if (v & 1) o[3456] = __reduce_add_sync(odd, v >> 4);
    else       o[3456] = __reduce_max_sync(~odd, lane);
    // halves and single lanes
    unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    if (lane < 16) o[3840] = __reduce_min_sync(half, u); else o[3840] = __reduce_xor_sync(half, u);
    if (lane % 11 == 5) o[4224] = __reduce_or_sync(0x08010020u, u);          // lanes 5, 16, 27
    // elect: exactly one leader out of the mask, and it belongs to the mask
    unsigned leader, pred;
    asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p; }" : "=r"(leader), "=r"(pred) : "r"(all));
    unsigned who = __ballot_sync(all, pred);
    o[4608] = __popc(who) * 2 + (who == 1u << leader);
    if (lane >= 8 && lane < 24) {
        asm volatile("{ .reg .pred p; elect.sync _|p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(pred) : "r"(0x00ffff00u));
        unsigned w2 = __ballot_sync(0x00ffff00u, pred);
        o[4992] = __popc(w2 & 0x00ffff00u);
        if (pred) atomicAdd(&b[6000 + blockIdx.x], 1);
    }
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    if (pred && lane >= 8 && lane < 24) atomicAdd(&b[6008], 1);
}
