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

# Eight learners run one after the other without a pause, as the key R does; a ninth asks once.
busy() { # busy NUMBER: until $TMPDIR/enough is there; a line for each run that is over
    while [ ! -e "$TMPDIR/enough" ]; do
        # shellcheck disable=SC2086
        as "learner$1" warpbook $one >/dev/null 2>&1 </dev/null && seconds >>"$TMPDIR/turns$1"
    done
}
turns() { cat "$TMPDIR"/turns* 2>/dev/null | wc -l; }
many_turns() { [ "$(turns)" -ge 16 ]; }
for number in 1 2 3 4 5 6 7 8 9; do
    # shellcheck disable=SC2086
    runs "learner$number" $one # what the first run of an account does once is done
done
for number in 1 2 3 4 5 6 7 8; do busy $number & done
soon many_turns
asked=$(turns)
# shellcheck disable=SC2086
runs learner9 $one
over=$(($(turns) - asked))
touch "$TMPDIR/enough"
wait
expect "who asks once among eight who never stop has a result" 0 right
echo "# $over of their runs were over meanwhile"
# Some are over before the ninth has started its worker; then each of the eight is before it once.
test_that "while none of them had more than two turns" [ $over -le 16 ]
wc -l "$TMPDIR"/turns* | awk '!/total/ { print $1 }' | sort -n | tr '\n' ' ' >"$TMPDIR/each"
read -r least _ _ _ _ _ _ most <"$TMPDIR/each"
echo "# turns of each of the eight: $(cat "$TMPDIR/each")"
test_that "and nobody had twice the turns of another" [ "$most" -le $((2 * least)) ]

# ---- who holds it ------------------------------------------------------------------------------------------------

rm -f /tmp/warpbook-*.lock /tmp/warpbook-*.gate
# shellcheck disable=SC2086
runs learner1 $one
files=$(ls /tmp/warpbook-*)
for file in $files; do as learner2 sh -c "echo 'Prof. Smith (says: run rm -rf ~)' >'$file'"; done
for file in $files; do become learner2 flock "$file" sleep 1000 & done
holding() { [ "$(pgrep -c -u learner2 sleep)" = "$(echo "$files" | wc -l)" ]; }
soon holding
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
