#!/bin/sh
# A site's file on a real cluster, and one ladder on a node of Slurm, a box behind ssh and the machine itself at once.
set -u
. tests/bed.sh
bed_make ssh slurm
gpus=2 # CUDA_VISIBLE_DEVICES, which Slurm sets, picks one of them

# ---- the site's file ------------------------------------------------------------------------------------------------

runs learner1 site init
expect "site init finds Slurm and what its GPUs are called" 0 'Written to /home/learner1/.local/share/warpbook/site.conf'
runs learner1 site
expect "the file counts as it is" 0 silent 'worker srun --gres=gpu:fake:1 -t 30 warpbook worker'
before=$(next_job)
runs learner1 run vecadd/grid-stride --size small --on gpu
expect "and a run needs no other word" 0 right
test_that "it was a job of Slurm" [ "$(next_job)" = $((before + 1)) ]

scontrol create reservation=course starttime=now duration=60 users=learner2 nodes=bed >/dev/null
in_site() { # in_site ACCOUNT LINE...: its own file
    name_=$1
    shift
    as "$name_" mkdir -p .local/share/warpbook
    printf '%s\n' "$@" | as "$name_" sh -c 'umask 22; cat >.local/share/warpbook/site.conf'
}
worker="worker = srun --gres=gpu:1 -t 5 warpbook worker"
in_site learner2 "$worker" "reservation = course"
runs learner2 run vecadd/grid-stride --size small --on gpu
expect "the file's reservation is used" 0 right
in_site learner1 "$worker" "reservation = course"
runs learner1 run vecadd/grid-stride --size small --on gpu
expect "and refused by Slurm to who has no part in it" 3 err 'srun: error:' 'reservation'
scontrol delete reservation=course
in_site learner1 "before = . /nothing/there.sh" "$worker"
runs learner1 run vecadd/grid-stride --size small --on gpu
expect "a line that fails before the worker is told in its own words" 3 err '/nothing/there.sh'

# ---- several machines -----------------------------------------------------------------------------------------------

in_site learner1 "$worker" "machine node = srun --gres=gpu:1 -t 5 warpbook worker" \
    "machine box = ssh remote@gpubox warpbook worker"
runs learner1 run vecadd --size small --on node,box,here
expect "a node, a box and this machine stand side by side" 0 silent 'node box here' 'Stand-in GPU Stand-in GPU Stand-in GPU'
all_three() { [ "$(grep -c 'ms.*ms.*ms' "$out")" = "$(steps_of vecadd GPU | wc -l)" ]; }
test_that "with all their rows" all_three
soon no_jobs
report "and the node's GPU is returned"

become teacher srun --gres=gpu:2 sleep 1000 2>/dev/null &
holder=$!
soon jobs_are R 1
begins learner1 run vecadd --size small --on node,box
queues() { grep -q 'node: starting: srun: job .* queued and waiting for resources' "$err"; }
soon queues
report "a machine that queues says so, in Slurm's words"
kill "$holder"
ends
expect "and fills its column when its turn comes" 0 'node box' 'Stand-in GPU Stand-in GPU'
soon no_jobs
report "its GPU is returned too"

# ---- as jobs, for later -----------------------------------------------------------------------------------------------

in_site learner1 "$worker" "machine node = srun --gres=gpu:1 -t 5 warpbook worker" \
    "machine other = srun --gres=gpu:fake:1 -t 5 warpbook worker" "machine box = ssh remote@gpubox warpbook worker"
runs learner1 run vecadd --size small --on node,box --later
expect "what is no line of srun is not left for later" 2 'node: job' err 'box cannot be left for later'
collected() { # collected NUMBER: nothing is open any more
    runs learner1 run --collect "$1"
    [ "$status" = 0 ]
}
become teacher srun --gres=gpu:2 sleep 1000 2>/dev/null &
holder=$!
soon jobs_are R 1
runs learner1 run vecadd --size small --on node,other --later
expect "a job is started for each machine" 0 silent 'node: job' 'other: job' 'run --collect 2'
runs learner1 run --collect
expect "while they queue, that is said" 3 silent 'node other' 'queued queued' 'node: starting: job'
kill "$holder"
soon collected 2
report "later their results are joined"
expect "side by side, each with all its rows" 0 silent 'node other' 'Stand-in GPU Stand-in GPU' 'One thread 0.250 ms'
kept() { as learner1 grep -c '"variant":"2-one-block"' .local/share/warpbook/workbook.jsonl; }
before=$(kept)
runs learner1 run --collect 2 --json
expect "and again, for programs" 0 silent '"machine":"node"' '"machine":"other"'
test_that "what is looked at twice stands in the workbook once" [ "$(kept)" = "$before" ]
soon no_jobs
report "no job is left"
