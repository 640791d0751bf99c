#!/bin/sh
# Launch lines with `cluster` and `cooperative`, in the simulator, on a stand-in for the GPU, and in an exported program.
set -u
. tests/expect.sh
stand_in

kernel() { # kernel WORDS: stops unless it has a cluster of 2 x 2 blocks and all blocks at once
    cat >"$TMPDIR/k.cu" <<END
//@ param  n = 8
//@ buffer b int[n] = 0
//@ launch k<<<dim3(n / 2, 2), 32>>>(b)$1
extern "C" __global__ void k(int *b)
{
    unsigned wide, blocks, workspace;
    asm volatile("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(wide));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    asm volatile("mov.u32 %0, %%envreg1;" : "=r"(workspace));
    if (wide != 2 || blocks != 4 || !workspace)
        asm volatile("trap;");
    b[blockIdx.x + blockIdx.y * gridDim.x] = blocks;
}
END
}

kernel " cluster dim3(n / 4, 2) cooperative"
warpbook show "$TMPDIR/k.cu" --ptx
if [ "$status" != 0 ]; then
    echo "skip together nothing here compiles the kernels"
    exit 0
fi
warpbook sim "$TMPDIR/k.cu"
expect "the simulator has the cluster, and all blocks at once" 0 out "No findings."
warpbook run "$TMPDIR/k.cu" --on gpu
expect "so has the GPU" 0 out "unchecked"
printf 'goto 5 0\nwhere\n' >"$TMPDIR/steps"
"$WARPBOOK" sim "$TMPDIR/k.cu" --step <"$TMPDIR/steps" >"$out" 2>&1
test_that "a step shows the rank" grep -q "block 5 (1,1,0) of 8, rank 3 of 4, warp 0 of 1" "$out"
warpbook export "$TMPDIR/k.cu"
expect "a program asks for both" 0 out "with[how.numAttrs++].val.clusterDim.z = cluster.z;" "val.cooperative = 1;" \
    "dim3 cluster = dim3(n / 4, 2);" "cudaLaunchKernelEx(&how, k, d_b);"

for words in " cooperative" " cluster dim3(2, 2)" ""; do
    kernel "$words"
    warpbook sim "$TMPDIR/k.cu"
    expect "without one of them it stops:$words" 1 out "error: trap"
    warpbook run "$TMPDIR/k.cu" --on gpu
    expect "on the GPU as well:$words" 1 out "failed" "CUDA_ERROR_LAUNCH_FAILED"
done
# The next block's shared memory is in the cluster's window, and not in the block's own.
cat >"$TMPDIR/space.cu" <<'END'
//@ buffer b unsigned[4] = 0
//@ launch k<<<2, 2>>>(b) cluster 2
extern "C" __global__ void k(unsigned *b)
{
    __shared__ int here;
    unsigned long long at = (unsigned long long)&here;
    unsigned spaces = 0;
    if (!threadIdx.x)
        here = 1;
    if (threadIdx.x)
        asm volatile("mapa.u64 %0, %0, %1;" : "+l"(at) : "r"(1 - blockIdx.x));
#define ASK(space, bit)                                                                                      \
    asm volatile("{ .reg .pred %%p; isspacep." space " %%p, %1; @%%p or.b32 %0, %0, %2; }"                     \
                 : "+r"(spaces) : "l"(at), "n"(bit))
    ASK("shared", 1);
    ASK("shared::cta", 2);
    ASK("shared::cluster", 4);
    ASK("global", 8);
    if (spaces != (threadIdx.x ? 4 : 7))
        asm volatile("trap;");
    b[blockIdx.x * 2 + threadIdx.x] = spaces;
}
END
warpbook sim "$TMPDIR/space.cu"
expect "isspacep knows the block's own shared memory" 0 out "No findings."
kernel " cluster 3 cooperative"
warpbook sim "$TMPDIR/k.cu"
expect "the grid is a multiple of the cluster" 2 err "k.cu:3:12" "no multiple of the cluster of 3 x 1 x 1 (CUDA_ERROR_INVALID_CLUSTER_SIZE)"
kernel " cooperative"
warpbook sim "$TMPDIR/k.cu" --set n=32768
expect "all blocks have to fit" 2 err "Too many blocks in cooperative launch" "an H100 holds 4224 of this size, 32 on each"
kernel " cluster"
warpbook sim "$TMPDIR/k.cu"
expect "a cluster has a size" 2 err "expected a value"
