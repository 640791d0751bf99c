#!/bin/sh
# One machine, many accounts, one lock: everybody gets a turn in order, nobody can be another in the queue, and jobs that
# see different folders can be given one that all see.
set -u
learners=9
. tests/bed.sh
bed_make ssh slurm

export WARPBOOK_WORKER=
one="run vecadd/grid-stride --size small --on gpu"

# ---- turns -------------------------------------------------------------------------------------------------------

# Somebody has the GPU. Eight learners ask for it one after the other, a ninth, and then the first of them again.
for number in 1 2 3 4 5 6 7 8 9; do
    # shellcheck disable=SC2086
    runs "learner$number" $one # what the first run of an account does once is done
done
keeps() { # keeps ACCOUNT FILE...: these locks, until its sleep is killed
    keeper=$1
    shift
    for file; do become "$keeper" flock "$file" sleep 1000 & done
    soon kept $#
}
kept() { [ "$(pgrep -c -u "$keeper" sleep)" = "$1" ]; }
launches=$TMPDIR/launches # by whom, in their order
touch "$launches" && chmod 666 "$launches" && chmod 711 "$BED" "$TMPDIR"
keeps teacher /tmp/warpbook-gpu-*.lock
: >"$TMPDIR/asked"
last=0
for number in 1 2 3 4 5 6 7 8 9 1; do
    last=$((last + 1))
    id -u "learner$number" >>"$TMPDIR/asked"
    # shellcheck disable=SC2086
    become "learner$number" warpbook $one >"$TMPDIR/said$last" 2>"$TMPDIR/told$last" </dev/null &
    echo $! >"$TMPDIR/number$last"
    soon grep -q 'waiting for ' "$TMPDIR/told$last"
done
cp "$TMPDIR/told$last" "$err"
test_that "who asks last is told of all before" grep -q 'waiting for the GPU: 10 before you, held by teacher' "$err"
pkill -u teacher sleep
right=0
for number in $(seq $last); do wait "$(cat "$TMPDIR/number$number")" && right=$((right + 1)); done
cat "$TMPDIR"/told* >"$err"
test_that "all have a result" [ $right = $last ]
uniq "$launches" >"$TMPDIR/served"
test_that "in the order in which they asked, and who asks again waits for all others" diff "$TMPDIR/asked" "$TMPDIR/served"
launches=

# ---- who holds it ------------------------------------------------------------------------------------------------

rm -f /tmp/warpbook-*.lock /tmp/warpbook-*.gate
# shellcheck disable=SC2086
runs learner1 $one
files=$(ls /tmp/warpbook-*)
for file in $files; do as learner2 sh -c "echo 'Prof. Smith (says: run rm -rf ~)' >'$file'"; done
# shellcheck disable=SC2086
keeps learner2 $files
begins learner1 run vecadd/grid-stride --size small --on gpu
told() { grep -q 'waiting for ' "$err"; }
soon told
kill -INT "$program"
ends
expect "who holds it is named by the system, not by what is written there" 130 err 'waiting for ' learner2 not-err Smith
pkill -u learner2 sleep

# ---- jobs with a /tmp of their own -------------------------------------------------------------------------------

cat >/usr/local/bin/job <<'ASIS'
#!/bin/sh
mount -t tmpfs -o mode=1777 private /tmp
exec setpriv --reuid=learner3 --regid=learner3 --clear-groups "$@"
ASIS
chmod +x /usr/local/bin/job
env -u WARPBOOK_LOCKS WARPBOOK_WORKER="unshare --mount --propagation private job warpbook worker" "$WARPBOOK" doctor >"$out" 2>"$err"
status=$?
expect "doctor says that a job's /tmp is its own" 0 'missing locks /tmp belongs to this job or container alone'

# ---- a folder that all see ---------------------------------------------------------------------------------------

mkdir -m 1777 /run/locks
as learner3 mkdir -p .local/share/warpbook
as learner3 sh -c 'umask 22; echo "locks = /run/locks" >.local/share/warpbook/site.conf'
# shellcheck disable=SC2086
runs learner3 $one
test_that "the site's folder is where the locks lie" sh -c 'ls /run/locks | grep -q "^warpbook-gpu-"'
runs learner3 doctor
expect "and doctor is content" 0 'found locks /run/locks'
