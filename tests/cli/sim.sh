#!/bin/sh
# warpbook sim and run --on sim: results, counters and findings without a GPU, from kernels that were compiled
# before where no compiler is here.
set -u
. "$ROOT/tests/expect.sh"

# ---- labs -------------------------------------------------------------------------------------------------

for lab in vecadd divergence coalescing banks transpose reduction histogram matvec; do
    warpbook run "$lab" --on sim
    expect "every step of $lab is right in the simulator, without findings" 0 silent out "right" not-out "wrong" \
        not-out "failed" not-out "finding"
done

warpbook sim transpose/tile
expect "a column of a tile is one bank" 0 silent out "shared loads" "32.00 wavefronts" "No findings."
warpbook sim transpose/padded
expect "padding spreads it over all" 0 silent out "shared loads" "1.00 wavefronts"
warpbook sim coalescing/stride-8
expect "lanes eight floats apart need a sector each" 0 silent out "32.00 sectors" not-out "take turns"
warpbook sim histogram/global --check counters
expect "passes above the sectors are explained" 0 silent out "lanes that add to one word take turns"

warpbook sim histogram/shared --json
expect "the record has counters under both names, digests and lines" 0 silent out '"backend":"sim"' \
    '"satom_wave":' '"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum":' '"digests":{"data":"' '"findings":[]' \
    '"lines":[{' '"thread_inst":'
counters=$(sed 's/.*"counters":\({[^}]*}\).*/\1/' "$out")
warpbook sim histogram/shared --json --check counters --threads 2 --seed 7
if [ "$counters" = "$(sed 's/.*"counters":\({[^}]*}\).*/\1/' "$out")" ]; then
    echo "ok counters do not depend on threads, order or checks"
else
    echo "not ok counters do not depend on threads, order or checks"
fi
warpbook sim histogram/spread-merge --json
expect "the record describes the launch with the most instructions" 0 silent out \
    '"kernel":"histogram_spread","launches":3,"grid_blocks":256,"block_threads":256'
warpbook sim scan/serial --json
expect "and not the one with the most threads" 0 silent out '"kernel":"scanSerial","launches":3'
warpbook sim histogram/shared --json --check none
expect "without counting there are no counters" 0 silent out '"status":"right"' not-out '"counters"'

# ---- instructions ---------------------------------------------------------------------------------------------

warpbook sim transpose/tile --instructions
expect "the cost of every PTX instruction is under its source line" 0 silent out \
    "tile[threadIdx.y][threadIdx.x] = in[row * cols + col];" "executions lanes sectors wavefronts" "bar.sync 0;"
# executions, lanes, sectors or wavefronts, the line of the PTX, the instruction
row() { grep -Eq "^ +4,096 +32\.0 +$1 +[0-9]+ $2" "$out"; }
test_that "a load of the tile by columns takes 32 wavefronts" row '32\.00' 'ld\.shared'
test_that "a load of a row takes 4 sectors" row '4\.00' 'ld\.global'
warpbook sim divergence/1 --instructions
expect "branches say how often they split their warp" 0 silent out " splits 2,048"
warpbook sim histogram/shared --json
expect "a record has no instructions unless they are asked for" 0 silent out not-out '"instructions"'
warpbook sim tests/data/kept.ptx --json --instructions
expect "instructions of several launches are put together" 0 silent \
    out '{"ptx_line":17,"text":"ld.global.u32 %r1, [total];","executions":2,"lanes":2,"costs":{"global load":{"requests":2,"passes":2,"ideal":2,"conflicts":0}}}'
expect "a variable of the module goes from launch to launch" 0 silent out '"digests":{"out":"1f1f34195c49ae83"}'

# ---- modelled times ---------------------------------------------------------------------------------------

warpbook sim histogram/shared --gpu h100 --json
expect "a record has the modelled time with its band, its limiter and its terms" 0 silent out '"modelled":{' \
    '"gpu":"h100"' '"name":"NVIDIA H100 80GB HBM3"' '"ms":' '"low_ms":' '"high_ms":' '"limiter":"' '"terms":{' \
    '"shared":' not-out '"without"'
modelled=$(sed 's/.*"modelled":\({[^}]*}[^}]*}\).*/\1/' "$out")
warpbook sim histogram/shared --gpu h100 --json --check counters --threads 2
test_that "it depends neither on threads nor on checks" \
    [ "$modelled" = "$(sed 's/.*"modelled":\({[^}]*}[^}]*}\).*/\1/' "$out")" ]
warpbook sim histogram/shared --gpu h100
expect "on paper it has the word and its terms, and nothing calls it measured" 0 silent out \
    " ms modelled for H100" "no GPU" "Each alone would take" " atomics " not-out "time is not known" "measured on"
warpbook sim histogram/shared --gpu h200,h100
expect "several GPUs are a table in the order asked for" 0 silent out "limited by" " H200 " " H100 80GB HBM3 "
warpbook sim matvec/2 --gpu h100 --what-if --why
expect "what if and why name the costs of the kernel" 0 silent out "Without its" "Term by term" \
    "Removing the barriers" "Removing all of these"
warpbook sim matvec/2 --gpu h100 --why --json
expect "and so does the record" 0 silent out '"without":[{"costs":["' '],"ms":' '"terms":{"issue":' '"tail":'
warpbook sim histogram/shared --gpu nonsense
expect "a GPU without figures is refused with the list of those there are" 2 err "nonsense" "h100" "h200"
for flag in "--gpu h100" --what-if --why; do
    # shellcheck disable=SC2086
    warpbook sim histogram/shared --check none $flag
    expect "$flag needs counters" 2 err "${flag%% *} needs counters"
done

# ---- sizes ----------------------------------------------------------------------------------------------------

sed 's|^//@ buffer.*|&\n//@ scratch far char[1 << 36]|' tests/data/kept.ptx >"$TMPDIR/large.ptx"
warpbook sim "$TMPDIR/large.ptx"
expect "a buffer that is too large for the simulator is named" 2 err "far would have 64.00 GiB" "less than 64 GiB"

# ---- findings -----------------------------------------------------------------------------------------------

if can_compile; then
    for name in tests/data/findings/*.cu; do
        warpbook sim "$name"
        case $name in
        *-fixed.cu) expect "$(basename "$name" .cu) is clean" 0 silent out "No findings." ;;
        *) expect "$(basename "$name" .cu) is found" "$status" silent out ": " not-out "No findings." ;;
        esac
    done
else
    echo "skip findings of files that stand alone: nothing here can compile"
fi

warpbook sim tests/data/again.ptx
expect "what two launches do wrong is one finding, with the line of the PTX" 1 silent \
    out "error: out of bounds, line 18 of the PTX, 8 times"
once() { [ "$(grep -c 'out of bounds' "$out")" = 1 ]; }
test_that "which is told once" once
warpbook sim tests/data/step.ptx --json
expect "both sides of a race have their line of the PTX" 1 silent out '"ptx_line":34' '"other_ptx_line":36'
sed 's/int\[64\]/int[1]/; s/trap;//' tests/data/trap.ptx >"$TMPDIR/idle.ptx"
warpbook sim "$TMPDIR/idle.ptx"
expect "one element is one" 1 silent out "No thread writes out at all: it has 1 element."
sed 's/tile\[64\]/tile[300000000]/' tests/data/trap.ptx >"$TMPDIR/large.ptx"
warpbook sim "$TMPDIR/large.ptx"
expect "what is wrong with no line names none" 1 out "large.ptx: This PTX asks for more shared memory" \
    not-out "line 0"

if can_compile; then
    warpbook sim tests/data/good/passes.cu
    expect "launches in loops are made turn by turn" 0 silent out "1023 pairs in order" "No findings."
    warpbook sim tests/data/good/passes.cu --set n=256 --json
    expect "as often as the size says" 0 silent out '255 pairs in order' '"launches":38,'
else
    echo "skip launches in loops: nothing here can compile"
fi

# A launch that is too small is the cause of what reads its output, and is said first.
small() { # GRID, INDEX, CHECK
    printf '%s\n' '//@ param n = 1000' '//@ buffer y int[n]' "//@ launch fill<<<$1>>>(y, n)" \
        '//@ launch check<<<(n + 255) / 256, 256>>>(y, n)' '#include <assert.h>' \
        "__global__ void fill(int *y, int n) { int i = $2; if (i < n) y[i] = i; }" \
        '__global__ void check(const int *y, int n) {' \
        "    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) $3; }" >"$TMPDIR/small.cu"
    warpbook sim "$TMPDIR/small.cu"
    sed -n 's/^.*\(error\|warning\): \([a-z ]*\).*/\2/p' "$out" | tr '\n' ';' >"$TMPDIR/kinds"
}
kinds() { grep -q "^$1" "$TMPDIR/kinds"; }
if can_compile; then
    index='blockIdx.x * blockDim.x + threadIdx.x'
    small '1, 1' "$index" 'assert(y[i] == i)'
    expect "a launch of one thread is named, at its line" 1 out "error: never written, line 3, 999 times" \
        "fill<<<1, 1>>> runs 1 thread, and 999 of the 1000 elements of y are never" "first is y[1]"
    test_that "before what was read of its output" kinds 'never written;uninitialised;'
    small 'dim3(3, 2), 64' '(blockIdx.y * 3 + blockIdx.x) * 64 + threadIdx.x' 'assert(y[i] == i)'
    expect "so is one in two dimensions" 1 out "fill<<<dim3(3, 2), 64>>> runs 384 threads, and 616 of the 1000"
    small '1, 256' "$index" 'if (y[i] != i) __trap()'
    expect "also where the check stops at once" 1 out "fill<<<1, 256>>> runs 256 threads, and 744 of the 1000"
    test_that "which is not the cause" kinds 'never written;.*trap;'
    small '1, 999' "$index" 'assert(y[i] == i)'
    expect "one element that is missing is one" 1 out "1 of the 1000 elements of y is never" "written: y[999]"
    small '4, 256' 'threadIdx.x' 'assert(y[i] == i)'
    expect "where there are threads enough, the launch is not blamed" 1 out "No thread writes y[256] and others" \
        not-out "runs 1024 threads"
    test_that "and what stops comes first" kinds 'assertion failed;never written;'
    small '4, 256' "$index" 'assert(y[i] == i)'
    expect "what is written as a whole is clean" 0 silent out "No findings."
else
    echo "skip launches that are too small: nothing here can compile"
fi

# ---- text of kernels ------------------------------------------------------------------------------------------

if can_compile; then
    warpbook sim tests/data/good/print.cu
    expect "text says whose it is" 0 silent out "the kernel printed:" "thread 31 of block 0: lane 31: 70.75, 31 31"
    warpbook sim tests/data/good/print.cu --json
    expect "in the record too" 0 silent out '"printed":"thread 31 of block 0: lane 31: 70.75, 31 31\n"'
    printf '%s\n' '//@ buffer x int[32] = 0' '//@ launch k<<<1, 32>>>(x, 7)' 'struct rgb { char r, g, b; };' \
        '__global__ void k(int *x, rgb c) { x[threadIdx.x] = c.r; }' >"$TMPDIR/struct.cu"
    warpbook sim "$TMPDIR/struct.cu"
    expect "a number is no struct, however small" 2 err "parameter 2 of k is a structure of 3 bytes"
    printf 'end\nprinted\n' | "$WARPBOOK" sim tests/data/good/print.cu --step >"$out" 2>"$err"
    status=$?
    expect "and when stepping" 0 silent out "thread 31 of block 0: lane 31: 70.75, 31 31"
else
    echo "skip text of kernels: nothing here can compile"
fi

# ---- wrong use ------------------------------------------------------------------------------------------------

refuses "'constant' alone says nothing here: write --data constant." sim histogram/1 constant
refuses "'small' alone says nothing here: write --size small." sim histogram/1 small
refuses "'nonsense' is one word too many" sim histogram/1 nonsense
refuses "There is no lab 'histgram'. Did you mean histogram?" sim histgram/shared
refuses "Name a step of the lab" sim histogram
refuses "--check takes none, counters or all, not 'some'." sim histogram/shared --check some
refuses "--instructions counts, and --check none does not" sim histogram/shared --instructions --check none
refuses "--seed takes a whole number" sim histogram/shared --seed x
refuses "is a CPU implementation" sim histogram/plain
refuses "Cannot open nothere.ptx" sim nothere.ptx

# A misspelt promise would be no promise; what the lab calls its buffers is known only here.
sed 's/^\(\/\/@ order  *\)out/\1ouT/' kernels/compact/4-in-order.cu | own_copy compact/4-in-order.cu
refuses "4-in-order.cu:13:13: error: there is no buffer ouT" sim compact/4 --size small

cat >"$TMPDIR/old.cu" <<'EOF'
//@ buffer out int[32]
//@ launch k<<<1, 32>>>(out)
__global__ void k(int *out)
{
    register int twice = 2 * threadIdx.x;
    int64_t wide = (uint8_t)twice; // named without an include
    out[threadIdx.x] = (int8_t)wide + (int)M_PI;
}
EOF
for compiler in any clang; do
    [ $compiler = any ] || export WARPBOOK_NVRTC=none
    can_compile || continue
    warpbook sim "$ROOT/tests/data/headers.cu"
    expect "kernels have headers of C++ ($compiler)" 0 out "thread 0 of block 0: 18446744073709551615 0" "No findings." \
        not-out "assertion"
    warpbook sim "$TMPDIR/old.cu"
    expect "and may be old ($compiler)" 0 silent "No findings."
done
unset WARPBOOK_NVRTC

if can_compile; then
    own_copy matvec/2-batches.cu <lessons/10-profile/partials.cu
    warpbook sim matvec/2 --size small
    expect "a race with the loop's round before is not blamed on the barrier that is there" 1 out \
        "writes partial[1] in line 38" "reads it in line 41, in the loop's round before" \
        "another __syncthreads() after that line" not-out "between the two"
fi
