#!/bin/sh
# doctor --measure model: the kernels that measure a GPU are right, what cannot be a measurement is refused, and the file
# that comes out is the one that is used.
set -u
. tests/expect.sh

# ---- the kernels, by the simulator: small, and as PTX that ships ---------------------------------------------

export WARPBOOK_NVRTC=none WARPBOOK_CLANG=none
no_gpu

clean() { # clean KERNEL TEXT SETTING...: no findings, and TEXT is among what is counted
    kernel=$1 text=$2
    shift 2
    for setting; do
        set -- "$@" --set "$setting"
        shift
    done
    warpbook sim "assets/gpus/calibrate/$kernel.cu" "$@"
    expect "$kernel $* is clean" 0 silent "$text" "No findings." not-out "nan"
}

clean start "instructions 4 " blocks=4
clean first "global stores"
clean launches "global stores"
clean clock "instructions" cycles=100
for kind in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
    clean chain "instructions" kind=$kind n=1
done
for kind in 0 1 2 3 4 5 6 7 8 9; do
    clean rate "instructions" kind=$kind n=1
done
for kind in 0 1 2 3 4 5; do
    clean tensor "instructions" kind=$kind n=1 alone=1
done
clean tensor "instructions" n=1
clean chase "global loads" bytes=8192 n=100
clean barrier "instructions" warps=4 n=1
clean shared "shared loads 33,792 33,792" stride=1 n=1
clean shared "32.00 wavefronts" stride=32 n=1
clean shared "4.00 wavefronts" kind=1 stride=4 n=1
clean shared "shared stores 67,584 67,584" kind=2 n=1
clean shared "shared atomics 33,792 33,792" kind=3 stride=1 n=1
clean shared "shared atomics 33,792 33,792" kind=4 stride=1 n=1
clean l1 "1.00 sectors" stride=0 n=1
clean l1 "32.00 sectors" stride=32 n=1
clean l1 "16.00 sectors" kind=1 stride=4 n=1
clean l2 "global loads 33,792 540,672" n=1
clean l2 "16.00 sectors" blocks=1 n=1
clean l2 "global loads" kind=3 n=1
for kind in 1 2 4; do
    clean l2 "global stores" kind=$kind n=1
done
for kind in 0 1 2 3 4; do
    clean dram "global stores" kind=$kind n=1 stride=32
done
clean atomic "global red. 1,056 1,056" lanes=8 n=1
clean atomic "32.00 passes" lane_step=0 n=1
clean atomic "global atomics" kind=1 words=4096 scattered=1 n=1
clean atomic "global red." kind=2 n=1
clean atomic "global atomics" kind=3 words=4096 scattered=1 n=1

# ---- measuring ----------------------------------------------------------------------------------------------

refuses "'doctor' takes no 'model'" doctor model
refuses "'doctor' takes no 'modle'" doctor --measure modle
refuses "--json is for the report" doctor --measure model --json
refuses "--to belongs to 'doctor --measure model'" doctor --to "$HOME/x"
refuses "--from belongs to" doctor --from "$HOME/x"
refuses "--force needs --to FILE" doctor --measure model --force
warpbook doctor --measure model
expect "without a GPU nothing is measured" 3 err "There is no GPU to measure." "libcuda.so.1"
stand_in memory=512
warpbook doctor --measure model
expect "times that no GPU has make no file" 1 err "a kernel that stores (first.cu) would give launch = 250 us" \
    "no figures were made"
test_that "and none is there" sh -c "! ls '$WARPBOOK_HOME/gpus' 2>/dev/null"
warpbook doctor --measure model --to "$TMPDIR/times.json"
expect "but with --to the times, for whoever asks why" 1 "It holds the times, and no figures." err "no figures were made"
test_that "and they are there" grep -q '"of": "a kernel that stores", "kernel": "first",' "$TMPDIR/times.json"
stand_in memory=512,cuLaunchKernel=719
warpbook doctor --measure model
expect "a kernel that fails is named with what was measured" 3 err "Measuring a kernel that stores (first.cu):"
no_gpu

# ---- from times that are there --------------------------------------------------------------------------------

"$BUILD/test/model_calibrate" "$TMPDIR/measured.json"
warpbook doctor --measure model --from "$TMPDIR/measured.json"
expect "times make a file of figures" 0 silent "NVIDIA H100 80GB HBM3" "Written to $WARPBOOK_HOME/gpus/h100.json"
warpbook doctor --measure model --from "$WARPBOOK_HOME/gpus/h100.json" --to "$TMPDIR/again.json"
expect "and that file the same one again" 0 silent "Written to $TMPDIR/again.json"
test_that "with its times" grep -q '"of": "latency of L2", "kernel": "chase"' "$TMPDIR/again.json"
warpbook doctor --measure model --from "$TMPDIR/measured.json" --to "$TMPDIR/again.json"
expect "a file that is there is not replaced" 2 err "$TMPDIR/again.json"
warpbook doctor --measure model --from "$TMPDIR/measured.json" --to "$TMPDIR/again.json" --force
expect "but with --force" 0 silent "Written to"
sed 's/A "GPU"/x/; s/"high_us": [0-9.]*/"high_us": 900/' "$TMPDIR/measured.json" >"$TMPDIR/flat.json"
warpbook doctor --measure model --from "$TMPDIR/flat.json"
expect "times that are all alike measure nothing" 1 err "no figures were made"
sed 's/80GB HBM3/made up/' "$TMPDIR/measured.json" >"$TMPDIR/other.json"
warpbook doctor --measure model --from "$TMPDIR/other.json"
expect "a GPU that no file knows gets a key of its own" 0 silent "gpus/h100-made-up.json" "No file ships for this GPU."
echo '{}' >"$TMPDIR/empty.json"
warpbook doctor --measure model --from "$TMPDIR/empty.json"
expect "a file without times says so" 2 err "$TMPDIR/empty.json: It holds no measurements."
echo '{' >"$TMPDIR/empty.json"
warpbook doctor --measure model --from "$TMPDIR/empty.json"
expect "one that is no JSON too" 2 err "is not JSON"
