#!/bin/sh
# Kernels with cooperative_groups.h: warpbook's own header, which clang reads where there is no Toolkit, gives what NVIDIA's
# does. The numbers are those of CUDA 13.0's header and NVRTC.
set -u
. tests/expect.sh
no_gpu

for compiler in any clang; do
    [ $compiler = any ] || export WARPBOOK_NVRTC=none
    can_compile || continue
    warpbook sim "$ROOT/tests/data/groups.cu"
    expect "groups within a block ($compiler)" 0 out "No findings." \
        "row 0: 1a461505" "row 1: 43376bf2" "row 2: 9a96ca94" "row 3: 0112c40f" \
        "row 4: 969dbae5" "row 5: f105299f" "row 6: 7f96b2e1"
    warpbook sim "$ROOT/tests/data/groups-grid.cu"
    expect "the grid and a cluster ($compiler)" 0 out "No findings." \
        "row 0: 1b2e4c85" "row 1: 59bed5e5" "row 2: b6a11465" "row 3: 9d03a505" \
        "row 4: 231fcc05" "row 5: b9fc4245" "row 6: fd0cb6a5" "row 7: 2a1d0d45"
    warpbook sim "$ROOT/tests/data/truth/cluster/cl_mixed.cu"
    expect "shared memory of other blocks has a row of its own ($compiler)" 0 \
        out "remote loads 32 128 4.00 sectors 32 wavefronts" not-out "remote stores"
    warpbook sim "$ROOT/tests/data/truth/cluster/cl_mixed.cu" --json --instructions
    expect "and so in the record, of an instruction too ($compiler)" 0 \
        out '"dld_req":32,"dld_sec":128,"dld_wave":32' \
        '"remote load":{"requests":32,"sectors":128,"wavefronts":32}' not-out '"dst_wave"'
    warpbook sim "$ROOT/tests/data/truth/cluster/cl_stride.cu" --instructions
    expect "an instruction's line has both costs of it ($compiler)" 0 out "32 32.0 16.00 1.00"
done

can_compile || exit 0
printf '%s\n' '//@ buffer x int[64] = 0' '//@ launch k<<<1, 64>>>(x)' '#include <cooperative_groups.h>' \
    'namespace cg = cooperative_groups;' 'extern "C" __global__ void k(int *x)' '{' \
    '    auto t = cg::tiled_partition<64>(cg::this_thread_block());' '    x[threadIdx.x] = t.thread_rank();' '}' \
    >"$TMPDIR/k.cu"
warpbook sim "$TMPDIR/k.cu"
expect "what the own header lacks is said" 1 out "Without a CUDA Toolkit, a tile has 1, 2, 4, 8, 16 or 32 threads."
sed -i 's/int \*x)/& { cooperative_groups::this_grid().sync(); } extern "C" __global__ void l(int *x)/; s/<64>/<32>/' "$TMPDIR/k.cu"
warpbook sim "$TMPDIR/k.cu"
expect "grid.sync() needs a cooperative launch" 1 out "grid.sync() needs a cooperative launch"
