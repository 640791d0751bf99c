#!/bin/sh
# run --profile: hardware counters beside the simulator's, and what is said where there are none. A script stands in for
# Nsight Compute: it says in the file `ncu` of $TMPDIR how it was called, and does what `mode` there says.
set -u
. tests/expect.sh
no_gpu
mkdir "$HOME/bin"
export PATH="$HOME/bin:$PATH" mode="$TMPDIR/mode"
step=histogram/shared
unset CUDA_HOME CUDA_PATH

can_skip_() { # a machine with a real ncu where it is looked for without PATH
    [ -x /usr/local/cuda/bin/ncu ] || ls /opt/nvidia/nsight-compute/*/ncu >/dev/null 2>&1
}
if ! command -v ncu >/dev/null && ! can_skip_; then
    warpbook run $step --profile
    expect "without ncu the simulator's counters stand alone, with what to install" 3 silent 'No hardware counters.' \
        'Nsight Compute is not installed here' 'nsight-compute' 'simulated' 'shared atomics 8,192' not-out hardware\ simulated
    warpbook run $step --profile --json
    expect "and --json has the reason" 3 silent '"profiled":{"refused":"no-tool","why":"Nsight Compute is not' \
        '"backend":"sim"'
fi

cat >"$HOME/bin/ncu" <<'ASIS'
#!/bin/sh
printf '%s\n' "$@" >"$TMPDIR/ncu"
metrics=$(sed -n '/^--metrics$/{n;p;}' "$TMPDIR/ncu")
while [ "$1" != worker ]; do
    program=$1
    shift
done
row() { # row ID METRIC UNIT VALUE
    echo "\"$1\",\"7\",\"warp,book\",\"host\",\"histogram_\"\"shared\",\"1\",\"7\",\"(256, 1, 1)\",\"(64, 1, 1)\",\"0\",\"9.0\",\"S\",\"$2\",\"$3\",\"$4\""
}
rows() {
    echo '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"'
    row 0 gpu__time_duration.sum ns 6,400
    row 0 launch__registers_per_thread register/thread 24
    row 0 sm__warps_active.avg.pct_of_peak_sustained_active % 61.25
    row 0 l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum '' 2,048
    row 0 l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum sector 9,216
    row 0 smsp__inst_executed.sum inst 51,200
    row 0 dram__bytes_read.sum byte "${1-65536}"
    row 0 l1tex__t_sector_hit_rate.pct % 'n/a'
    row 0 lts__t_sector_hit_rate.pct % 87.5
    row 0 smsp__inst_executed_op_shared_atom.sum inst 8192
    row 0 smsp__sass_inst_executed_op_shared_ld.sum inst 2,000
    row 0 smsp__inst_executed_op_ldsm.sum inst 48
}
echo "==PROF== Connected to process 7"
case $(cat "$mode") in
right)
    "$program" "$@"
    rows
    ;;
missing)
    case $metrics in
    *op_red.sum*)
        echo '==ERROR== Failed to find metric l1tex__t_requests_pipe_lsu_mem_global_op_red.sum' >&2
        echo '==ERROR== Failed to find metric l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum.' >&2
        exit 1
        ;;
    esac
    "$program" "$@"
    rows
    ;;
permission)
    "$program" "$@"
    echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0.'
    ;;
unsupported)
    "$program" "$@"
    printf '==ERROR== Profiling is not supported on device 0.\033[31m To find supported GPUs refer --list-chips option.\n'
    exit 1
    ;;
busy)
    "$program" "$@"
    echo '==ERROR== Driver resource was unavailable. Ensure that no other tool (like DCGM) is concurrently collecting profiling data.'
    ;;
nothing)
    "$program" "$@"
    echo '==WARNING== No kernels were profiled.'
    ;;
crash)
    kill -SEGV $$
    ;;
hostile)
    "$program" "$@"
    printf '"\n"a""b\n"ID","Metric Name","Metric Unit","Metric Value"\n"0"\n"x","gpu__time_duration.sum","","-1e999"\n{"result":7\n\377\033[2J\n'
    rows 1e400
    ;;
esac
ASIS
chmod +x "$HOME/bin/ncu"

echo right >"$mode"
warpbook run $step --profile
expect "without a GPU it says so" 3 silent 'No hardware counters. The driver that' 'shared atomics 8,192'
stand_in
warpbook run $step --profile
expect "hardware and simulator stand in two columns, and what differs is marked" 0 silent 'histogram/3-shared' \
    'n = 262,144' 'Stand-in GPU: right' 'hardware simulated' 'global load requests 2,048 2,048' \
    'sectors 9,216 8,192 ! 12.5 % more on hardware' 'shared atomics 8,192 8,192' 'instructions of warps 51,200' \
    not-out '2,048 !'
expect "matrices that are loaded from shared memory are shared loads" 0 'shared loads 2,048 2,048'
test_that "in 80 columns" fits 80
expect "with what only hardware tells" 0 'time 0.0064 ms' 'registers 24.0' 'occupancy 61.2' 'hits in L2 87.5' \
    'read from DRAM 64 KiB' not-out 'hits in L1'
asked() { # asked WORD...: ncu got these words, one after the other
    tr '\n' ' ' <"$TMPDIR/ncu" | grep -qF -- "$*"
}
test_that "one launch is asked for, of this kernel" asked '-k regex:^(histogram_shared)(<|$) -c 1 '
test_that "with few counters" asked '--metrics gpu__time_duration.sum,launch__registers_per_thread,'
warpbook run reduction/2 --profile --json
test_that "of two launches both" grep -qx -- 2 "$TMPDIR/ncu"
expect "--json has the counters in the record, without times that a profiler makes long" 0 silent \
    '"profiled":{"launches":1.0,"ms":0.0064' '"occupancy_pct":61.25' '"counters":{"gld_req":2048,"gld_sec":9216' \
    not-out '"median_ms"'
test_that "and the simulator's record after it" sh -c "sed -n 2p '$out' | grep -q '\"backend\":\"sim\"'"
warpbook run tests/data/good/print.cu --profile
expect "a file alone is profiled too" 0 'Stand-in GPU: unchecked' 'hardware simulated'

echo missing >"$mode"
warpbook run $step --profile
expect "counters that this ncu does not have are left out" 0 silent '2,048 2,048'
test_that "and not asked for again" sh -c "! grep -q 'op_red.sum' '$TMPDIR/ncu'"

refused() { # refused MODE KIND WORDS...
    echo "$1" >"$mode"
    warpbook run $step --profile
    name_="refused: $1" kind_=$2
    shift 2
    expect "$name_" 3 silent 'No hardware counters.' "$@" 'shared atomics 8,192'
    warpbook run $step --profile --json
    expect "$name_, in --json" 3 silent "\"refused\":\"$kind_\""
}
refused permission permission 'ERR_NVGPUCTRPERM' 'NVreg_RestrictProfilingToAdminUsers=0' 'as root'
refused unsupported unsupported 'does not support this GPU' 'It says: Profiling is not supported on device 0.'
refused busy busy 'DCGM'
refused nothing failed 'gave no counters'
refused crash failed 'gave no counters'
echo hostile >"$mode"
warpbook run $step --profile
expect "what makes no sense is no number" 3 silent 'gave no counters' not-out hardware\ simulated

echo right >"$mode"
refuses 'name a step' run histogram --profile
refuses 'for the GPU' run $step --profile --on cpu
refuses 'leave --chart out' run $step --profile --chart
refuses 'a kernel file' run streams/1 --profile
