#!/bin/sh
# The same program on a real GPU: every ladder at its full size and with all its data, the limits that the last
# steps must reach, kernels that misbehave, and times beside Nsight Compute's where ncu is installed.
#
#   tests/gpu.sh [FOLDER]     leaves the records of this GPU in FOLDER/recorded/LAB.jsonl, ready for assets/
#
# Not part of `make test`: it needs a GPU and some minutes.
set -u
cd "$(dirname "$0")/.." || exit 1
out=${1:-build/gpu}
program=${WARPBOOK:-build/warpbook}
mkdir -p "$out/recorded"
passed=0
failed=0

ok() { # ok NAME: counts a test that passed
    passed=$((passed + 1))
    echo "ok $1"
}
not_ok() { # not_ok NAME REASON
    failed=$((failed + 1))
    echo "not ok $1: $2"
}
field() { # field KEY: its number or text in each record on stdin
    sed -n 's/.*"'"$1"'":"\{0,1\}\([^",}]*\).*/\1/p'
}
at_least() { # at_least NAME LEAST VALUE
    if awk "BEGIN { exit !($3 >= $2) }"; then ok "$1: $3 (at least $2)"; else not_ok "$1" "$3, should be at least $2"; fi
}

# ---- ladders --------------------------------------------------------------------------------------------

"$program" doctor --measure
"$program" doctor --json >"$out/doctor.json"
if ! grep -q '"gpu": {' "$out/doctor.json"; then
    echo "There is no GPU here to test with."
    exit 3
fi

run_ladder() { # run_ladder LAB FLAGS...: to the screen, and every record kept
    lab=$1
    "$program" run "$@" --on gpu --json >"$out/new.jsonl"
    status=$?
    cat "$out/new.jsonl" >>"$out/recorded/$lab.jsonl"
    wrong=$(field status <"$out/new.jsonl" | grep -cv -e right -e skipped)
    if [ $status = 0 ] && [ "$wrong" = 0 ] && [ -s "$out/new.jsonl" ]; then
        ok "run $* ($(wc -l <"$out/new.jsonl") steps right)"
    else
        not_ok "run $*" "status $status, $wrong not right: $(grep -v '"status":"right"' "$out/new.jsonl" | head -3)"
    fi
}

for lab in $("$program" list | awk 'NF == 0 { exit } $1 != "streams" { print $1 }'); do
    : >"$out/recorded/$lab.jsonl"
    run_ladder "$lab"
    run_ladder "$lab" --size small
done
# Host programs, where nvcc is: assets/timelines has their records.
if command -v nvcc >/dev/null; then
    "$program" run streams --json >"$out/recorded/streams.jsonl"
    at_least "host programs that are right" 5 "$(grep -c '"status":"right"' "$out/recorded/streams.jsonl")"
fi
run_ladder histogram --data constant
run_ladder histogram --data skewed
run_ladder reduction --size chapter
run_ladder softmax --size long

# Odd sizes, where tails and bounds show.
for n in 1 31 33 1000 1000003; do
    for lab in vecadd divergence histogram reduction; do
        "$program" run $lab --on gpu --set n=$n --json >"$out/odd.jsonl"
        wrong=$(grep -v -e '"status":"right"' -e '"status":"skipped"' "$out/odd.jsonl" | head -1)
        if [ -s "$out/odd.jsonl" ] && [ -z "$wrong" ]; then ok "$lab n=$n"; else not_ok "$lab n=$n" "$wrong"; fi
    done
done

# Launches in loops, turn by turn.
"$program" run tests/data/good/passes.cu >"$out/passes.txt"
if grep -q '1023 pairs in order' "$out/passes.txt"; then ok "launches in loops"; else not_ok "launches in loops" ""; fi

# ---- limits ---------------------------------------------------------------------------------------------

# The share of the ceiling in percent that the last steps reach, by GPU: a GPU with more bandwidth than its SMs have
# loads under way for reaches less with the same kernels. Measured on an H100 SXM (2026-11-21) and an H200 (2026-11-23;
# softmax, stencil, tensor and attention on both 2026-11-26).
softmax='' stencil='' tensor='' attention=''
case $(sed -n '/"gpu": {/,/}/s/.*"name": "\([^"]*\)".*/\1/p' "$out/doctor.json" | head -n 1) in
*H100*) histogram=95 reduction=97 matvec=92.6 vecadd=90 transpose=90 softmax=97 stencil=95 tensor=68 attention=48 ;;
*H200*) histogram=88 reduction=97 matvec=90 vecadd=90 transpose=87 softmax=95 stencil=95 tensor=68 attention=48 ;;
*) histogram='' reduction='' matvec='' vecadd='' transpose='' ;;
esac

reaches() { # reaches LEAST LAB/STEP [FLAGS]; LEAST is empty for a GPU whose shares nobody has recorded
    least=$1 step=$2
    shift 2
    share=$("$program" run "$step" --on gpu --json "$@" | field ceiling_pct)
    if [ -n "$least" ]; then
        at_least "$step $*: % of the ceiling" "$least" "$share"
    else
        echo "   $step $*: $share % of the ceiling; no limit is known for this GPU"
    fi
}
for data in uniform constant skewed; do
    reaches "$histogram" histogram/lane-columns --data $data
done
reaches "$reduction" reduction/grid-stride
reaches "$matvec" matvec/tiled
reaches "$vecadd" vecadd/5
reaches "$transpose" transpose/6
reaches "$softmax" softmax/4
reaches "$stencil" stencil/4
reaches "$tensor" tensor/5
reaches "$attention" attention/5

# The library's time in percent of a step's, both at full size in the run above. On 2026-11-26 an H100 SXM had 92.6, 60.0,
# 99.3, 93.1, 102 and 143, and an H200 93.2, 60.2, 99.3, 95.3, 102 and 192.
beside() { # beside LEAST LAB STEP
    times=$(grep '"preset":"full","data":"uniform"' "$out/recorded/$2.jsonl" | grep -e "\"variant\":\"$3\"" \
        -e '"variant":"cu' | field median_ms | tr '\n' ' ')
    case $times in
    *' '?*) at_least "$2/$3: the library's time in % of its" "$1" "$(echo "$times" | awk '{ print 100 * $2 / $1 }')" ;;
    *) echo "   $2/$3: the library is not here (make cub compiles CUB)" ;;
    esac
}
beside 90 matmul 9-pipeline
beside 58 tensor 5-pipeline
beside 91 scan 8-look-back
beside 91 compact 4-in-order
beside 97 reduction 8-grid-stride
beside 130 histogram 7-lane-columns

# ---- kernels that misbehave -------------------------------------------------------------------------------

bad() { # bad FILE STATUS WORDS: fails with this status and says these words, and the next run works
    said=$("$program" run "tests/data/bad/$1.cu" --limit 2 2>&1)
    status=$?
    case $said in
    *"$3"*) [ $status = "$2" ] && ok "bad kernel: $1" || not_ok "bad kernel: $1" "status $status" ;;
    *) not_ok "bad kernel: $1" "status $status, said: $said" ;;
    esac
    "$program" run vecadd/3 --on gpu --size small >/dev/null || not_ok "after $1" "the next run failed"
}
bad endless 1 "longer than"
bad outside 1 "belongs to no buffer"
bad misaligned 1 "lign"
bad trap 1 "rap"
bad syntax 1 "expected a"
bad too-many-threads 1 1024

said=$("$program" run tests/data/good/print.cu 2>&1)
case $said in *"lane 31: 70.75, 31 31"*) ok "printf of a kernel" ;; *) not_ok "printf of a kernel" "$said" ;; esac

# ---- times beside Nsight Compute's --------------------------------------------------------------------------

# The duration of each launch that ncu sees, in ms, the sum of one repeat's launches: the first $2 of them.
ncu_ms() { # ncu_ms LAB/STEP LAUNCHES
    ncu --target-processes all --clock-control none --metrics gpu__time_duration.sum --csv \
        -k "regex:^$3" "$program" run "$1" --on gpu --reps 5 2>/dev/null |
        awk -F'","' -v launches="$2" '
            /gpu__time_duration/ { gsub(/[",]/, "", $NF); unit = $(NF - 1); ms = $NF
                if (unit ~ /^us|^usecond/) ms /= 1e3; else if (unit ~ /^ns|^nsecond/) ms /= 1e6
                else if (unit ~ /^s|^second/) ms *= 1e3
                sum += ms; count++ }
            END { if (count) print sum / count * launches }'
}
if command -v ncu >/dev/null; then
    while read -r step launches kernel; do
        ours=$("$program" run "$step" --on gpu --json | field median_ms)
        theirs=$(ncu_ms "$step" "$launches" "$kernel")
        if [ -z "$theirs" ]; then
            not_ok "ncu $step" "gave no time"
        elif awk "BEGIN { d = $ours - $theirs; d = d < 0 ? -d : d; exit !(d < 0.03 * $theirs || d < 0.003) }"; then
            ok "ncu $step: ours $ours ms, ncu $theirs ms"
        else
            not_ok "ncu $step" "ours $ours ms, ncu $theirs ms: more than 3 % and 3 us apart"
        fi
    done <<LIST
vecadd/5 1 vecadd
divergence/1 1 divergence
coalescing/1 1 coalescing
coalescing/5 1 coalescing
transpose/6 1 transpose
transpose/1 1 transpose
histogram/7 1 histogram
histogram/4 1 histogram
histogram/3 1 histogram
LIST
fi

# ---- a warm worker ------------------------------------------------------------------------------------------

echo
echo "From an answered request to the next on a warm worker, without the timed repeats:"
build/bench --worker 2>/dev/null || echo "(build/bench is not built)"
echo
echo "$passed passed, $failed failed"
[ $failed = 0 ]
