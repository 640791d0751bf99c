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
expect "lanes eight floats apart need a sector each" 0 silent out "32.00 sectors"

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
warpbook sim histogram/shared --json --check none
expect "without counting there are no counters" 0 silent out '"status":"right"' not-out '"counters"'

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

# ---- wrong use ------------------------------------------------------------------------------------------------

refuses "There is no lab 'histgram'. Did you mean histogram?" sim histgram/shared
refuses "Name a step of the lab" sim histogram
refuses "--check takes none, counters or all, not 'some'." sim histogram/shared --check some
refuses "--seed takes a whole number" sim histogram/shared --seed x
refuses "is a CPU implementation" sim histogram/plain
refuses "Cannot open nothere.ptx" sim nothere.ptx
