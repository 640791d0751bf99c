#!/bin/sh
# Workers through a real srun: what is asked for comes back, what was taken is returned, however it ends (a queue is no hung worker).
set -u
learners=${LEARNERS:-20}
. tests/bed.sh
bed_make slurm
gpus=2 # CUDA_VISIBLE_DEVICES, which Slurm sets, picks one of them

export WARPBOOK_WORKER="srun --gres=gpu:1 -t 5 warpbook worker"
one="run vecadd/grid-stride --size small --on gpu"
returned() { # returned NAME: nothing is held and nothing queued soon after, and no process works on
    soon no_jobs
    report "$1 returns its GPU"
    remark "until squeue was empty"
    soon none_of learner1
    report "and nothing of it works on"
}
hold() { # somebody else has both GPUs, until $holder is killed
    become teacher srun --gres=gpu:2 sleep 1000 2>/dev/null &
    holder=$!
    soon jobs_are R 1
}
in_background() { # in_background ARGUMENT...: as learner1, until it waits in the queue
    begins learner1 "$@"
    soon jobs_are PD 1
}

# ---- a run returns what it took --------------------------------------------------------------------------------

# shellcheck disable=SC2086
runs learner1 $one
expect "a run through srun is right" 0 right
returned "a run that is over"

runs learner1 doctor
expect "doctor through srun names the GPU" 0 'Stand-in GPU'
returned "doctor"

begins learner1 sim "$BED/repository/tests/data/spin.ptx" --limit 300
soon jobs_are R 1
kill -INT "$program"
ends
expect "^C stops a run through srun" 130
returned "^C in a run"

begins learner1 sim "$BED/repository/tests/data/spin.ptx" --limit 300
soon jobs_are R 1
kill -KILL "$program"
ends
returned "kill -9 in a run"

WARPBOOK_WORKER="srun --gres=gpu:9 warpbook worker"
# shellcheck disable=SC2086
runs learner1 $one
expect "a request that Slurm refuses is told in Slurm's words" 3 err 'srun: error:'
returned "a start that was refused"

WARPBOOK_WORKER="srun --gres=gpu:1 warpbook-is-not-here worker"
# shellcheck disable=SC2086
runs learner1 $one
expect "so is a program that is not there" 3 err 'warpbook-is-not-here'
returned "a start that failed"

# ---- a queue is no hung worker -----------------------------------------------------------------------------------

WARPBOOK_WORKER="srun --gres=gpu:1 -t 5 warpbook worker"
hold
# shellcheck disable=SC2086
in_background $one
kill -INT "$program"
ends
expect "^C stops a run that waits in the queue" 130
soon jobs_are PD 0
report "and its place in the queue is given up"

# shellcheck disable=SC2086
in_background $one --wait 1
ends
expect "--wait sets a limit to the waiting, with what srun said" 3 err 'queued and waiting for resources'
soon jobs_are PD 0
report "and its place in the queue is given up too"

# shellcheck disable=SC2086
in_background $one
queued=$(seconds)
said() { grep -q 'queued and waiting for resources' "$err"; }
soon said
report "what srun says is shown while it waits"
waited_long() { # half a minute in the queue counted as a hung worker once
    waited=$(echo "$queued $(seconds)" | awk '{ printf "%.0f", $2 - $1 }')
    [ "$waited" -gt 31 ]
}
soon waited_long
echo "# it waited $waited s in the queue"
kill "$holder"
ends
expect "a run that waited has its result" 0 right
returned "it"

# ---- who only reads takes nothing ----------------------------------------------------------------------------------

before=$(next_job)
in_terminal
soon shown 'Lessons'
press ':lesson 6\n'
soon shown 'oalescing'
press '   :home\n:bench vecadd\n'
soon shown '16-byte'
press 'Q'
leaves
test_that "home, a lesson and a bench are read" [ "$status" = 0 ]
test_that "without a job" [ "$(next_job)" = "$before" ]

# reads NUMBER: this learner opens a lesson, sees it and leaves
reads() {
    : >"$TMPDIR/seen$1"
    {
        soon grep -q oalescing "$TMPDIR/seen$1"
        printf Q
    } | become "learner$1" script -qec "stty cols 80 rows 24; warpbook open lesson 6" /dev/null >"$TMPDIR/seen$1" 2>&1
}
before=$(next_job)
for number in $(seq "$learners"); do
    reads "$number" &
    echo $! >"$TMPDIR/number$number"
done
read=0
for number in $(seq "$learners"); do wait "$(cat "$TMPDIR/number$number")" && read=$((read + 1)); done
test_that "$learners learners who read a lesson at the same time" [ $read = "$learners" ]
test_that "take no job either" [ "$(next_job)" = "$before" ]

# ---- a class at the same moment ----------------------------------------------------------------------------------

class() { # class COUNT: one run each at once; $right is how many were right
    began=$(seconds)
    for number in $(seq "$1"); do
        # shellcheck disable=SC2086
        become "learner$number" warpbook $one --json >"$TMPDIR/class$number" 2>"$TMPDIR/trouble$number" </dev/null &
        echo $! >"$TMPDIR/number$number"
    done
    right=0
    for number in $(seq "$1"); do
        wait "$(cat "$TMPDIR/number$number")" && grep -q '"status":"right"' "$TMPDIR/class$number" &&
            right=$((right + 1))
    done
    echo "# $right of $1 were right after $(echo "$began $(seconds)" | awk '{ printf "%.1f", $2 - $1 }') s"
    status=0
    cat "$TMPDIR"/trouble* >"$err"
    [ $right = "$1" ]
}
test_that "$learners learners and 2 GPUs: $learners results" class "$learners"
returned "a class"
