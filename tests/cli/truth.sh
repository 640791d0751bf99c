#!/bin/sh
# tests/truth.sh: kernels to tables of what a GPU makes of them. The stand-in for the driver runs them in the simulator, and a
# script stands in for Nsight Compute: it runs what it is given and prints what an Nsight Compute has printed.
set -u
. tests/expect.sh
blind=tests/data/truth/blind tables="$TMPDIR/tables"
export NVCC=none NCU=none TRUTH="$BUILD/truth"

truth() { # truth ARGUMENT...: as warpbook in expect.sh
    sh tests/truth.sh "$@" >"$out" 2>"$err" </dev/null
    status=$?
}
rows_are() { # rows_are TABLE KERNEL...: those of blind
    table=$1
    shift
    for kernel; do
        grep -q "^$kernel," "$tables/$table.csv" || return 1
        [ "$(grep "^$kernel," "$tables/$table.csv")" = "$(grep "^$kernel," "$blind/$table.csv")" ] || return 1
    done
}

no_gpu
truth $blind "$tables" st_mma_f16
expect "without a GPU nothing is measured, and it says why" 3 err 'cannot be opened: /nonexistent/libcuda.so.1'
truth $blind
expect "it says how it is used" 2 err 'usage: tests/truth.sh FOLDER OUT'
TRUTH=/nonexistent/truth truth $blind "$tables"
expect "it says what has to be built" 3 err "'make build/truth' makes it"

stand_in
truth $blind "$tables" st_mma_f16 st_ldm_bcast st_bulk_sizes
expect "kernels leave what the table says" 0 '3 kernels on Stand-in GPU, 0 failed' err 'There is no Nsight Compute here'
test_that "digests are those of the table" rows_are digests st_mma_f16 st_ldm_bcast st_bulk_sizes
test_that "a table says on what it was measured" grep -q '^# Stand-in GPU, 20..-..-..; compiled by the driver.$' "$tables/digests.csv"
test_that "without a profiler there are no counters" test ! -e "$tables/counters.csv"
KEEP=1 truth $blind "$tables" st_mma_f16
test_that "the bytes can be kept" test "$(wc -c <"$tables/st_mma_f16.f")" = 262144

mkdir "$TMPDIR/mixed"
cp $blind/st_mma_f16.cu $blind/st_mma_f16.ptx tests/data/truth/cluster/cl_dims.* "$TMPDIR/mixed"
echo 'not PTX' >"$TMPDIR/mixed/broken.ptx"
sed 's/st_mma_f16/broken/' $blind/st_mma_f16.cu >"$TMPDIR/mixed/broken.cu"
truth "$TMPDIR/mixed" "$tables"
expect "what cannot be measured is told, and the others are" 1 '3 kernels on Stand-in GPU, 2 failed' err \
    'broken: ' 'PTX' 'st_mma_f16: its buffers are a,b,f,d, and not a,b'

cat >"$HOME/ncu" <<'ASIS'
#!/bin/sh
[ "$1" != --version ] || { printf 'NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2025.3.1.0 (build 1)\n'; exit; }
while [ "$1" != --metrics ]; do shift; done
echo "$2" >"$TMPDIR/metrics"
shift 2
echo '==PROF== Connected to process 7'
"$@"
cat "$TMPDIR/printed"
ASIS
chmod +x "$HOME/ncu"
export NCU="$HOME/ncu"
cp tests/data/ncu.csv "$TMPDIR/printed"
truth $blind "$tables" st_attn
expect "a kernel is counted" 0 silent '1 kernels on Stand-in GPU, 0 failed'
test_that "counters are those that were printed" rows_are counters st_attn
test_that "and their columns those of the folder" test \
    "$(grep '^kernel' "$tables/counters.csv")" = "$(head -n 1 $blind/counters.csv)"
test_that "the profiler is named" grep -q 'Nsight Compute 2025.3.1.0' "$tables/counters.csv"
test_that "each is asked for once" test "$(tr , '\n' <"$TMPDIR/metrics" | sort | uniq -d | wc -l)" = 0
TRUTH_COLUMNS=inst,gld_sec truth $blind "$tables" st_attn
test_that "columns can be chosen" grep -q '^st_attn,28208,2560$' "$tables/counters.csv"

grep -v l1tex__t_sectors_pipe_lsu_mem_global_op_st tests/data/ncu.csv >"$TMPDIR/printed"
echo '==ERROR== Failed to find metric l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum' >>"$TMPDIR/printed"
truth $blind "$tables" st_attn
expect "a counter that is missing is named" 1 err 'st_attn: Nsight Compute does not count l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum' 'Failed to find metric'
