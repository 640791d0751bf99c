#!/bin/sh
# Modelled times do not move unseen: a part of the kernels of tests/model is modelled again and compared with the table
# there, whose errors are those that are documented; and they do not depend on the number of host threads.
set -u
. tests/expect.sh

table=tests/model/h100-modelled.csv

documented() { # documented SCRIPT ARGUMENT...: the lines that it prints stand in the model's README
    sh "$@" | grep -v '^$' | while read -r line; do
        grep -qxF -e "$line" engine/model/README.md || exit 1
    done
}
test_that "the documented errors are those of the table" documented tests/model_table.sh $table
test_that "so are those on the H200" documented tests/model_table.sh tests/model/h200-modelled.csv
test_that "the documented limiters are those that Nsight Compute saw" \
    documented tests/model_limiters.sh $table tests/model/h100-ncu.csv
test_that "the documented errors of recorded rows are those of their table" \
    documented tests/model_rows.sh --table tests/model/h100-rows.csv

ms_of() { # ms_of ARGUMENT...: as many digits as are given
    warpbook sim "$@" --gpu h100 --check counters --json
    sed -n 's/.*"modelled":{.*"ms":\([0-9.e-]*\),"low_ms.*/\1/p' "$out"
}

if ! "$WARPBOOK" doctor | grep -q '^found *nvrtc.*13\.0'; then
    echo "skip modelled-times the table was made with NVRTC 13.0"
    exit 0
fi
for threads in 1 2; do
    ms_of tests/model/times/atomic_global_4096.cu --threads $threads >"$TMPDIR/$threads"
done
test_that "one time for any number of host threads" cmp -s "$TMPDIR/1" "$TMPDIR/2"

same() { # same MS US: within what the table rounds to
    awk -v ms="$1" -v us="$2" 'BEGIN { exit !(ms * 1000 - us < 0.006 && us - ms * 1000 < 0.006) }'
}
n=0
while IFS=, read -r set kernel _ _ us _; do
    n=$((n + 1))
    [ $((n % 9)) = 0 ] || continue
    ms=$(ms_of "tests/model/$set/$kernel.cu")
    test_that "$kernel: $us us" same "${ms:-0}" "$us"
done <$table

# A warp waits as its machine code says: for a predicate, for a jump, for a shuffle.
for kernel in f_branchless f_fma h_shfl; do
    warpbook sim tests/model/chains/$kernel.cu --gpu h200 --check counters --json
    ms=$(sed -n 's/.*"modelled":{.*"ms":\([0-9.e-]*\),"low_ms.*/\1/p' "$out")
    measured=$(sed -n "s/^chains,$kernel,chains,\([0-9.]*\),.*/\1/p" tests/model/h200.csv)
    test_that "a chain of $kernel takes as long as on hardware, but for a tenth" \
        awk -v ms="${ms:-0}" -v us="$measured" 'BEGIN { exit !(ms * 1000 > us * 0.9 && ms * 1000 < us * 1.1) }'
done

rows_again() { # the small rows of a lab, with the H200's figures and the H100's data sheet
    sh tests/model_rows.sh "$(dirname "$WARPBOOK")" "$TMPDIR/rows" small vecadd
    grep '^vecadd/[^,]*,small,' tests/model/h100-rows.csv | cmp -s - "$TMPDIR/rows"
}
test_that "recorded rows are modelled as their table says" rows_again
