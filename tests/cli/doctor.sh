#!/bin/sh
# doctor: what is here, and for everything that is missing what to do.
set -u
. tests/expect.sh

export WARPBOOK_NVRTC=none WARPBOOK_CLANG=none
no_gpu
warpbook doctor
expect "without anything doctor says of each what to do, and that is no error" 0 silent "missing nvrtc" \
    "missing clang" "missing gpu" "/nonexistent/libcuda.so.1" "found terminal" "found locale" "found kernels" "found own"
echo "in the way" >"$TMPDIR/file"
WARPBOOK_HOME="$TMPDIR/file" warpbook doctor
expect "and so where nothing can be kept" 0 silent "missing own" "set WARPBOOK_HOME to another folder"
WARPBOOK_CACHE="$TMPDIR/file/below" warpbook doctor
expect "nor a cache where there is no folder for it" 0 silent "missing cache" "set WARPBOOK_CACHE to another folder"
warpbook doctor
expect "the folder of the locks is named" 0 silent "found locks" "$WARPBOOK_LOCKS"
WARPBOOK_LOCKS=/nonexistent warpbook doctor
expect "and said to be no use where it is none" 0 silent "missing locks" "/nonexistent cannot be written to"
mkdir "$TMPDIR/bound"
printf 'all x frobnicate\nnowhere y help\n' >"$TMPDIR/bound/keys"
WARPBOOK_HOME="$TMPDIR/bound" warpbook doctor
expect "and keys with mistakes" 0 silent "missing keys" "2 lines of your keys are wrong; the first:"
if [ "$(id -u)" = 0 ]; then
    echo "skip no-right-to-make-it root"
else
    mkdir -m 555 "$TMPDIR/shut"
    WARPBOOK_HOME="$TMPDIR/shut/a/b" warpbook doctor
    expect "and where the folder cannot be made" 0 silent "missing own" "does not exist and cannot be made"
fi
unset WARPBOOK_NVRTC WARPBOOK_CLANG

if "$WARPBOOK" doctor --json | grep -q '"sanitizer": false'; then
    NV_NSIGHT_INJECTION_PORT_BASE=49152 warpbook doctor
    expect "under a profiler nothing is confined, and that is said" 0 silent "missing confined" "looks into this program"
fi

stand_in sms=7,memory=512,target=80,driver=12040
warpbook doctor
expect "a GPU is shown with its size and its driver" 0 silent "Stand-in GPU, sm_80, 7 SMs, 512 MiB, L2 1 MiB" \
    "for CUDA 12.4" "$FAKE_CUDA"
if grep -q '^found *ceilings' "$out"; then
    expect "its ceilings have units" 0 "GB/s, copy" "empty launch" "measured 20"
    warpbook doctor --json
    expect "--json has the same" 0 silent '"read_gbps":' '"target": 80' '"driver_version": 12040'
    warpbook doctor --measure
    expect "--measure measures again" 0 silent "found ceilings"
else
    echo "skip ceilings nothing here compiles"
fi
stand_in count=4,other=3
warpbook doctor
expect "of several GPUs one is named, and how many are like it" 0 silent "Stand-in GPU" "one of 3: a run takes the least used"
CUDA_VISIBLE_DEVICES=1 warpbook doctor
expect "those that are hidden do not count" 0 silent "Stand-in GPU" not-out "one of"
stand_in sms=7,memory=512,target=80,driver=12040
warpbook doctor --json
test_that "--json is one object" sh -c "[ \"\$(head -c 1 '$out')\" = '{' ] && [ \"\$(tail -n 1 '$out')\" = '}' ]"
is_json() {
    tr -d '\n' <"$out" >"$TMPDIR/line" && echo >>"$TMPDIR/line" &&
        ! "$WARPBOOK" worker <"$TMPDIR/line" | grep -q 'is not JSON'
}
test_that "and JSON" is_json
for key in compilers gpu driver_path terminal cache kernels worker system host; do
    test_that "it holds $key" grep -q "\"$key\":" "$out"
done

stand_in cuInit=803
warpbook doctor
expect "a driver that does not start is missing, with what to do" 0 silent "missing gpu" "must be restarted"
stand_in

LC_ALL=C TERM=dumb warpbook doctor
expect "a locale without UTF-8 is named, and what changes it" 0 silent "missing locale" "LC_ALL=C.UTF-8"
worker_is "exec '$WARPBOOK' worker"
warpbook doctor
expect "where runs go is said" 0 silent "runs go to: exec"
worker_is no-such-program
warpbook doctor
expect "a worker that cannot be reached is an error" 3 err "no-such-program"
unset WARPBOOK_WORKER

mkdir "$HOME/bare"
WARPBOOK_DATA="$HOME/bare" warpbook doctor
expect "kernels that are not there are missing" 0 "missing kernels" "$HOME/bare"
cp -r "$WARPBOOK_CACHE" "$HOME/cache$(printf '\033')[31m"
WARPBOOK_CACHE="$HOME/cache$(printf '\033')[31m" warpbook doctor
expect "paths bring no control characters along" 0 "cache<U+001B>[31m"
WARPBOOK_CACHE="$HOME/cache$(printf '\033')[31m" warpbook doctor --json
expect "nor does --json" 0 'cache\u001B[31m'
