#!/bin/sh
# Workers through a real ssh, on another account's side of a real sshd.
set -u
learners=${LEARNERS:-20}
. tests/bed.sh
bed_make ssh

through() { # through COMMAND: from here on runs of learners go through it
    export WARPBOOK_WORKER="$1"
}
through "ssh remote@gpubox warpbook worker"
left() { # left NAME: nothing of the remote account works on
    soon none_of remote worker
    report "$1 leaves no worker there"
    remark "until it was gone"
}

# ---- what comes back ----------------------------------------------------------------------------------------------

runs learner1 run vecadd/grid-stride --size small --json
expect "a run over ssh is right" 0 silent '"status":"right"' '"device":"Stand-in GPU"'
left "a run that is over"
WARPBOOK_LIBCUDA='' runs learner1 run vecadd --size small --on cpu
expect "so is a ladder on the CPU there" 0 right
runs learner1 sim histogram/shared
expect "and a simulation" 0 'sectors'
runs learner1 doctor
expect "doctor names the machine that was reached" 0 'Stand-in GPU' 'bed'

begins learner1 sim "$BED/repository/tests/data/spin.ptx" --limit 300
soon some_of remote executor
kill -INT "$program"
ends
expect "^C stops a run over ssh" 130
left "^C"

# ---- what does not come up ----------------------------------------------------------------------------------------

small="run vecadd/grid-stride --size small --on gpu"
# shellcheck disable=SC2086
{
    through "ssh -p 1 remote@gpubox warpbook worker"
    runs learner1 $small
    expect "a port that is closed is told in ssh's words" 3 err 'Connection refused'
    through "ssh remote@nosuchhost.invalid warpbook worker"
    runs learner1 $small
    expect "so is a host that does not exist" 3 err 'nosuchhost.invalid'
    through "ssh remote@gpubox warpbook-is-not-here worker"
    runs learner1 $small
    expect "and a program that is not there" 3 err 'warpbook-is-not-here: command not found'
}

# ---- a login that greets ------------------------------------------------------------------------------------------

through "ssh remote@gpubox warpbook worker"
as remote sh -c 'echo "echo Welcome to the cluster; echo module: command not found >&2" >.bashrc'
# shellcheck disable=SC2086
runs learner1 $small
expect "what a login prints before the worker does no harm" 0 right
rm /home/remote/.bashrc

# ---- a password ---------------------------------------------------------------------------------------------------

through "ssh locked@gpubox warpbook worker"
in_terminal "$small"
leaves
expect "a machine that wants a password is no wait: what to type is said" 3 'wants a password. Type: warpbook connect'
in_terminal connect locked@gpubox
soon shown 'password:'
press 'secret-pw1\n'
leaves
expect "connect asks for it" 0 'password:' not-out secret-pw1
before=$(connections)
for _ in 1 2 3 4 5; do
    # shellcheck disable=SC2086
    runs learner1 $small
done
expect "and runs go through that connection" 0 right
test_that "without a new one" [ "$(connections)" = "$before" ]
runs learner1 connect --end locked@gpubox
test_that "until it is ended" grep -q 'is closed' "$out"

# ---- a class in the same second -----------------------------------------------------------------------------------

through "ssh remote@gpubox warpbook worker"
for number in $(seq $learners); do runs "learner$number" connect remote@gpubox; done
before=$(connections)
for number in $(seq $learners); do
    # shellcheck disable=SC2086
    become "learner$number" warpbook $small >"$TMPDIR/class$number" 2>&1 </dev/null &
    echo $! >"$TMPDIR/number$number"
done
right=0
for number in $(seq $learners); do
    wait "$(cat "$TMPDIR/number$number")" && right=$((right + 1))
done
cat "$TMPDIR"/class* >"$out"
test_that "$learners learners who start in the same second all have a result" [ $right = $learners ]
test_that "through the connections that they have" [ "$(connections)" = "$before" ]

# ---- who vanishes ---------------------------------------------------------------------------------------------------

through "ssh remote@gpubox warpbook worker"
begins learner2 sim "$BED/repository/tests/data/spin.ptx" --limit 300
soon some_of remote executor
kill -KILL "$program"
ends
left "a warpbook that is killed"

# A laptop that leaves its network closes nothing: its ssh says no more, and no end comes to sshd.
begins learner2 sim "$BED/repository/tests/data/spin.ptx" --limit 300
soon some_of remote executor
pkill -STOP -u learner2 -x ssh
soon none_of remote worker
report "nor does a connection that falls silent in the middle of a run"
remark "until it was gone"
test_that "within 15 s" [ $rounds_ -lt 150 ]
ends
expect "and its warpbook says so" 3 err 'Nothing has been heard of the worker for 12 s'
pkill -KILL -u learner2 -x ssh

# ---- what a kernel can read there -----------------------------------------------------------------------------------

through "ssh remote@gpubox warpbook worker"
as remote sh -c 'umask 077; echo "TOP SECRET" >secret.txt'
tells_nothing() { # tells_nothing NAME LINE: a kernel with this line brings nothing of the file back
    printf '//@ param n = 32\n//@ buffer x int[n] = i\n//@ launch k<<<1, n>>>(x, n)\n%s\n' "$2" >/home/learner1/own.cu
    printf '__global__ void k(int *x, int n) { x[threadIdx.x] += n; }\n' >>/home/learner1/own.cu
    chmod 644 /home/learner1/own.cu
    runs learner1 run own.cu
    ! grep -q 'TOP\|SECRET' "$out" "$err"
    report "$1 brings nothing back"
}
# shellcheck disable=SC2086
runs learner1 $small
tells_nothing "a kernel that asks for nothing" '// nothing of note'
expect "though a kernel of one's own runs there" 0 unchecked
tells_nothing "an #include of a path" '#include "/home/remote/secret.txt"'
expect "and says why" 1 own.cu
tells_nothing "one that climbs" '#include "../../../../home/remote/secret.txt"'
tells_nothing "one made by a macro" '#define THERE "/home/remote/secret.txt"
#include THERE'
tells_nothing "an .incbin" 'asm(".incbin \"/home/remote/secret.txt\"");'
tells_nothing "an asm with a .file" 'asm(".file 7 \"/home/remote/secret.txt\"");'
tells_nothing "a trigraph" '??=include "/home/remote/secret.txt"'
there() { # there PATH: what the run of a kernel says that asks whether it exists
    tells_nothing "__has_include of $1" "#if __has_include(\"$1\")
#error yes
#endif"
    sed 's|/home/remote/[a-z.]*||g' "$out" "$err" >"$TMPDIR/said"
}
there /home/remote/secret.txt
cp "$TMPDIR/said" "$TMPDIR/before"
there /home/remote/nothing.txt
test_that "nor whether a file exists" cmp -s "$TMPDIR/before" "$TMPDIR/said"
