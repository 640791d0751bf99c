#!/bin/sh
# A class in a room, each learner an account of its own: joining, what nobody may, hostile files, a vote, the queue on GPUs
# that Slurm hands out, and the end.
set -u
learners=${LEARNERS:-20}
. tests/bed.sh
bed_make ssh slurm
gpus=2 # CUDA_VISIBLE_DEVICES, which Slurm sets, picks one of them

export WARPBOOK_WORKER=
everybody=$(seq "$learners")
opens() { # opens TITLE [ARGUMENT...]: a room of the teacher's; its word in $word, its folder in $room
    runs teacher room open "$@"
    word=$(sed -n 's/.*warpbook join //p' "$out")
    room=/tmp/warpbook-room-$word
}
# all_at_once COMMAND...: each learner runs it in the same second, # being the learner's number; $right is how many did well
all_at_once() {
    began=$(seconds)
    for number in $everybody; do
        # shellcheck disable=SC2046
        become "learner$number" $(echo "$@" | sed "s/#/$number/g") >"$TMPDIR/said$number" 2>&1 </dev/null &
        echo $! >"$TMPDIR/number$number"
    done
    right=0
    for number in $everybody; do wait "$(cat "$TMPDIR/number$number")" && right=$((right + 1)); done
    took=$(echo "$began $(seconds)" | awk '{ printf "%.1f", $2 - $1 }')
    status=0
    cat "$TMPDIR"/said* >"$err"
}
at_once() { all_at_once warpbook "$@"; }
all_right() { [ "$right" = "$learners" ]; }

# ---- over ssh ------------------------------------------------------------------------------------------------------

opens 'CUDA day 1'
# What ssh itself costs here is the least that joining can take. Whom sshd turns away comes again.
echo 'until ssh gpubox true; do sleep 0.$(($$ % 9)); done' >"$BED/bare.sh"
all_at_once sh "$BED/bare.sh"
remark "$learners bare connections of ssh in the same second"
before=$(connections)
at_once join "$word@gpubox" --yes --as otter-#
remark "$learners learners joined over ssh in the same second, each with a new connection"
test_that "all of them are in" all_right
runs teacher room
expect "and the instructor sees them" 0 "$learners joined"
one_each() { [ "$(connections)" = $((before + learners)) ]; }
test_that "by one connection each" one_each
at_once light green
remark "each told something"
test_that "all of it was told" all_right
runs teacher room
all_done() { [ "$(grep -c 'is done' "$out")" = "$learners" ]; }
test_that "and is there" all_done
at_once hand-in --yes
test_that "and what follows needs no other connection" one_each
# A command beside the screen is told some seconds after the one before.
as learner2 sh -c 'touch -d "1 minute ago" .local/share/warpbook/rooms/*/lines.jsonl'
runs learner2 list
in_shell() { runs teacher room && grep -q 'in the shell: list' "$out"; }
soon in_shell
report "who types commands is seen to do so over ssh"
test_that "through the connection that there is" one_each
soon none_of learner2 courier
report "and nothing goes on for it"
runs teacher room poll 'Go on?' --choice yes --choice no
soon none_of learner2 courier
runs learner2 vote 1
expect "a command over ssh knows what the instructor asked a moment ago" 0 'Your vote is 1'
runs learner2 leaders histogram
expect "and that nobody serves the queue" 3 err 'Nobody serves the queue'
runs learner1 leave
runs learner1 join "$word" --yes
runs teacher room
expect "who leaves and comes again by another way has no second file" 0 "$learners joined" not-out 'second file'
at_once leave
runs teacher room close --forget
expect "the room closes" 0 not-out 'could not be removed'
test_that "and leaves nothing" [ ! -e "$room" ]

# ---- in a folder ---------------------------------------------------------------------------------------------------

opens 'CUDA day 2' --with remote
runs remote room "$word"
expect "a helper is told what it waits for" 0 "Names appear once the instructor's screen"
at_once join "$word" --yes --as otter-#
remark "$learners learners joined in a folder in the same second"
test_that "all of them are in" all_right
runs teacher room
expect "and the instructor sees them" 0 "$learners joined"

runs learner2 room "$word"
expect "a learner sees no class" 3 err "is another user's"
runs remote room
expect "a helper sees it" 0 "$learners joined" 'otter-2 '
as remote ssh gpubox warpbook room "$word" >"$out" 2>"$err" </dev/null
status=$?
expect "from another machine by ssh" 0 "$learners joined" 'otter-2 '
runs remote room say 'go home'
expect "and tells nothing" 2 err 'its instructor alone'
typist=remote
in_terminal room "$word"
soon shown 'otter-[0-9]' # who came first; there are more learners than rows
report "on a screen as well"
test_that "that offers no vote" sh -c "! grep -q 'vote here' '$out'"
press ':say hello\n'
soon shown 'You help in this room'
report "which says nothing to all"
press 'Q'
leaves
typist=learner1
runs learner2 light red 'what is a warp?'
runs remote room next
expect "what learners tell is there at once" 0 'otter-2' 'what is a warp?'
runs learner2 light none

# ---- what nobody may -------------------------------------------------------------------------------------------------

own=$(find "$room/in" -user learner1)
token=$(basename "$own" .jsonl)
may_not() { # may_not NAME COMMAND...: learner2 cannot, and the class stays as it is
    name_=$1
    shift
    cp -r "$room" "$TMPDIR/before"
    ! as learner2 "$@" >"$out" 2>"$err"
    report "nobody $name_"
    test_that "and nothing has changed" diff -r "$room" "$TMPDIR/before"
    rm -r "$TMPDIR/before"
}
may_not "lists who is in the room" ls "$room/in"
may_not "writes into another's file" sh -c "echo x >>'$own'"
may_not "removes it" rm -f "$own"
may_not "gives it another name" mv "$own" "$room/in/x"
may_not "links to it" ln "$own" "$room/q/x"
may_not "puts another in its place" sh -c "echo x >/tmp/theirs && mv -f /tmp/theirs '$own'"
may_not "speaks as the instructor" sh -c "echo x >>'$room/notices.jsonl'"
may_not "changes what the room is" sh -c "echo x >>'$room/room.json'"
may_not "answers in the queue's place" sh -c "echo x >'$room/out/$token-0000000000000000.json'"
may_not "lists answers" ls "$room/out"
may_not "reads what the instructor keeps" cat "$room/keep/roster.jsonl"
may_not "renames the room" mv "$room" "$room-not"
may_not "closes it" env HOME=/home/learner2 sh -c "mkdir -p .local/share/warpbook/rooms; echo '$room' >.local/share/warpbook/rooms/opened; warpbook room close"
as learner2 rm -f .local/share/warpbook/rooms/opened

# ---- hostile files ------------------------------------------------------------------------------------------------------

# What learner3 puts there is laid to learner3 and changes nobody else's row; no byte of it moves a cursor.
in_room() { as learner3 sh -c "cd '$room/in' && $1"; }
rows() { # rows FILE: the others' rows, and the sums
    runs teacher room
    grep -v 'otter-3[ :]' "$out" >"$1"
}
rows "$TMPDIR/rows"
theirs=$(find "$room/in" -user learner3)
digits=0123456789abcdef
link() { printf '%s%s.jsonl' $digits "$1"; }
in_room "ln -s /etc/passwd $(link 000000000000000a); ln -s '$own' $(link 000000000000000b); mkfifo $(link 000000000000000c)"
in_room "truncate -s 1G $(link 000000000000000d); mkdir $(link 000000000000000e)"
in_room "head -c 5000 /dev/zero | tr '\\0' '[' >>'$theirs'; echo >>'$theirs'"
in_room "head -c 100000 /dev/zero | tr '\\0' 'a' >>'$theirs'; echo >>'$theirs'"
in_room "printf '{\"v\":1,\"n\":900,\"at\":\"2099-01-01T00:00:00Z\",\"kind\":\"light\",\"is\":\"red\",\"text\":\"\\\\u001b[2J\\\\u009b1mhelp\\\\u202e\"}\\n' >>'$theirs'"
in_room "printf '\\033]0;title\\007\\033[2J\\n' >>'$theirs'"
# A line of somebody else's number, in a file of their own.
in_room "printf '{\"v\":1,\"n\":901,\"at\":\"2099-01-01T00:00:00Z\",\"kind\":\"join\",\"as\":\"otter-1\",\"token\":\"$token\"}\\n' >>'$theirs'"
runs teacher room
expect "a clock that is ahead is said" 0 'otter-3' 'clock'
expect "so are files that are none" 0 'file'
test_that "no byte of theirs moves the cursor" sh -c "! LC_ALL=C grep -q '[[:cntrl:]]' '$out' && ! grep -q $(printf '\\302\\233') '$out'"
expect "what they said is shown as text" 0 '<U+001B>[2J'
cp "$out" "$TMPDIR/hostile"
rows "$TMPDIR/rows-now"
grep '^ .*otter-' "$TMPDIR/rows" | sort >"$TMPDIR/rows-before"
grep '^ .*otter-' "$TMPDIR/rows-now" | sort >"$TMPDIR/rows-after"
test_that "and no other row has changed" diff "$TMPDIR/rows-before" "$TMPDIR/rows-after"
crowd=$([ "$learners" -ge 60 ] && echo 1000000 || echo 30000)
in_room "seq $crowd | xargs touch"
as teacher sh -c 'ulimit -t 5; exec warpbook room' >"$out" 2>"$err" </dev/null
status=$?
expect "with $crowd files more the class is shown within 5 s of work, and that the folder is full" 0 'otter-2 ' 'file'
in_room "seq $crowd | xargs rm -f"
in_room "ln '$theirs' $(link 000000000000000f)"
runs teacher room
expect "a file with a second name is read no longer, and that is said" 0 'otter-3: no longer read: it has a second name'
as learner3 sh -c "cd '$room/in' && rm -rf $(link '*')"
runs learner4 light red 'what is a sector?'
runs teacher room
expect "what others tell is still heard" 0 'otter-4 ' 'what is a sector?'

# ---- the queue ---------------------------------------------------------------------------------------------------------

# What serving says lies in files of its own: other commands run beside it.
serving() { # serving COMMAND...: with these
    out=$TMPDIR/serving err=$TMPDIR/serving-err
    "$@"
    out=$TMPDIR/out err=$TMPDIR/err
}
serves() { # serves [ARGUMENT...]: until it has described its GPU
    serving begins teacher room serve "$@" --workers 2 --worker "srun --gres=gpu:1 -t 10 warpbook worker"
    serve=$program
    soon [ -s "$room/out/queue.json" ]
}
serve_ends() { # serve_ends NAME TEXT
    program=$serve
    ends
    expect "$1" 0 "$2"
}
rm -f "$room/in/$(link 000000000000000f)"
serves
report "the queue is served"
asks() { # asks NUMBER TIMES: this learner asks for so many runs at once
    export WARPBOOK_WORKER="warpbook worker --room"
    for time in $(seq "$2"); do
        become "learner$1" warpbook run vecadd/grid-stride --size small --on gpu --json >"$TMPDIR/run$1.$time" 2>&1 </dev/null &
    done
    export WARPBOOK_WORKER=
}
waiting() { find "$room/q" -name '[0-9a-f]*.json' | wc -l; }
all_wait() { [ "$(waiting)" = $((3 * learners)) ]; }
kill -STOP "$serve" # so that all have asked before the first is served
for number in $everybody; do asks "$number" 3; done
soon all_wait
began=$(seconds)
kill -CONT "$serve"
none_waits() { [ "$(waiting)" = 0 ] && [ "$(grep -l '"status":"right"' "$TMPDIR"/run*.* | wc -l)" = $((3 * learners)) ]; }
soon none_waits
report "$learners learners ask for three runs each, and all are right"
remark "by 2 workers that srun started"
find "$room/out" -name '*-*.json' -printf '%T@ %f\n' | sort -n >"$TMPDIR/answers"
test_that "each is answered once" [ "$(wc -l <"$TMPDIR/answers")" = $((3 * learners)) ]
# Of two workers one may stand still with one learner's first while the other goes on to second ones; not both.
awk -v began="$began" -v learners="$learners" '
    { turn = ++done[substr($2, 1, 32)]; early += NR < (turn - 1) * learners }
    turn == 3 { wait[++all] = $1 - began }
    END { printf "# until a learner had all three: median %.1f s, most %.1f s\n", wait[int((all + 1) / 2)], wait[all]
          exit early > 0 }' "$TMPDIR/answers"
report "nobody has a second answer before everybody has one, nor a third before two, but for one that still runs"

begins_to_serve() { [ "$(waiting)" -lt 15 ]; }
fifteen_wait() { [ "$(waiting)" = 15 ]; }
kill -STOP "$serve"
for number in 1 2 4 5 6; do asks "$number" 3; done
soon fifteen_wait
kill -CONT "$serve"
soon begins_to_serve
kill -KILL "$serve"
wait "$serve" 2>/dev/null
soon no_jobs
report "serving that is killed returns its GPUs"
remark "until squeue was empty"
rm "$room/out/queue.json"
serves
ended() { [ "$(grep -l '"status":"right"' "$TMPDIR"/run[12456].* | wc -l)" = 15 ] && [ "$(waiting)" = 0 ]; }
soon ended
report "and who serves next answers what was left"

# ---- a flood of requests -----------------------------------------------------------------------------------------------

flood=$(basename "$theirs" .jsonl)
in_queue() { as learner3 sh -c "cd '$room/q' && $1"; }
in_queue "seq -f '$flood-%016.0f.json' 1 5000 | xargs touch; seq -f '$flood-%016.0f.json' 5001 10000 | xargs mkdir"
in_queue "seq -f '$flood-%016.0f.json/x' 5001 10000 | xargs touch; mkfifo '$flood-0000000000020000.json'; mkdir x; touch x/x"
export WARPBOOK_WORKER="warpbook worker --room"
began=$(seconds)
runs learner4 run vecadd/grid-stride --size small --on gpu
took=$(echo "$began $(seconds)" | awk '{ printf "%.1f", $2 - $1 }')
export WARPBOOK_WORKER=
expect "who floods the queue with files and folders keeps nobody waiting" 0 right
remark "a run beside 10000 of them"
few_files() { [ "$(find "$room/q" -type f -name '*.json' ! -path '*/x' | wc -l)" -le 64 ]; }
soon few_files
report "and most of the files are gone without an answer"
flood_told() { [ "$(grep -c "otter-3 (account learner3) floods the queue: [0-9]* files at once" "$TMPDIR/serving-err")" = 1 ]; }
test_that "serving says once who it is, and how many" flood_told
runs teacher room
expect "as does the board" 0 'otter-3: ' 'floods the queue: '
test_that "few answers were written for them" [ "$(find "$room/out" -name "$flood-*" | wc -l)" -lt 3000 ]
in_queue "seq -f '$flood-%016.0f.json' 1 10000 | xargs rm -rf; rm -rf x"

# ---- ^C -----------------------------------------------------------------------------------------------------------------

runs learner7 leave
runs learner7 join "$word@gpubox" --yes
one="run vecadd/grid-stride --size small --on gpu"
export WARPBOOK_WORKER="warpbook worker --room"
# shellcheck disable=SC2086
runs learner7 $one
expect "who came over ssh has runs done" 0 right
# Workers that stand still: what runs on them runs until it is stopped.
pkill -STOP -u teacher -f 'worker --executor measure'
runs_for() { # runs_for COUNT: so many
    sed 's/.*"running":\[\([^]]*\)\].*/\1/' "$room/out/queue.json" | tr ',' '\n' | grep -c '"' | grep -qx "$1"
}
# shellcheck disable=SC2086
begins learner7 $one
soon runs_for 1
kill -INT "$program"
ends
expect "^C stops a run over ssh" 130
none_is_left() { [ "$(waiting)" = 0 ] && runs_for 0; }
soon none_is_left
report "in the queue too, and its GPU is free for the next"
# shellcheck disable=SC2086
runs learner8 $one
expect "who has a result" 0 right
pkill -STOP -u teacher -f 'worker --executor measure'
for number in 1 2; do asks $number 1; done
soon runs_for 2
# shellcheck disable=SC2086
WARPBOOK_WORKER="warpbook worker --room" begins learner7 $one
one_waits() { [ "$(waiting)" = 3 ]; }
soon one_waits
kill -INT "$program"
ends
expect "^C over ssh gives up a place in the queue" 130
two_left() { [ "$(waiting)" = 2 ]; }
soon two_left
report "there as well"
kill -INT "$serve"
soon no_jobs
report "^C of serving returns both GPUs in the middle of a run"
remark "until squeue was empty"
serving serve_ends "and ends well" ''
told_ended() { grep -q 'was ended while this ran' "$TMPDIR/run1.1" && grep -q 'was ended while this ran' "$TMPDIR/run2.1"; }
soon told_ended
report "whose learners are told"
rm "$room/out/queue.json"
serves
export WARPBOOK_WORKER=

runs teacher room close
soon no_jobs
report "a room that closes returns its GPUs"
remark "until squeue was empty"
serving serve_ends "and serving ends with it" 'has ended, and its queue with it'
runs learner1 shares
expect "learners are told" 0 'The room has ended'

# ---- arrays of jobs -----------------------------------------------------------------------------------------------------

opens 'CUDA day 3'
at_once join "$word" --yes --as otter-#
before=$(next_job)
serves --batch
report "a queue that holds no GPU is served"
soon no_jobs
test_that "and none is held while nobody asks" [ $? = 0 ]
test_that "after one job that described the machine" [ "$(next_job)" = $((before + 1)) ]
rm -f "$TMPDIR"/run*
kill -STOP "$serve"
for number in $everybody; do asks "$number" 3; done
soon all_wait
kill -CONT "$serve"
soon none_waits
report "$learners learners ask for three runs each, and all are right"
remark "by arrays of jobs, two at a time"
find "$room/out" -name '*-*.json' >"$TMPDIR/answers"
test_that "each is answered once" [ "$(wc -l <"$TMPDIR/answers")" = $((3 * learners)) ]
soon no_jobs
report "the jobs end by themselves"
left_lists() { find "$room/keep" -maxdepth 1 -name 'batch-*' | grep -q .; }
no_lists() { ! left_lists; }
soon no_lists
report "and leave no list"
# ---- a scheduler that takes no job -----------------------------------------------------------------------------------

instead() { # instead: what stdin has is sbatch from now on; each call leaves a line in /tmp/calls
    rm -f /tmp/calls
    { printf '#!/bin/sh\necho "$*" >>/tmp/calls\n' && cat; } >/usr/local/bin/sbatch
    chmod +x /usr/local/bin/sbatch
}
calls() { # calls COUNT: so many at least
    [ "$(wc -l </tmp/calls)" -ge "$1" ]
}
asked() { # asked COUNT: learners ask for one run each
    rm -f "$TMPDIR"/run*
    for number in $(seq "$1"); do asks "$number" 1; done
}
answered() { # answered COUNT: none waits, and all were right
    [ "$(waiting)" = 0 ] && [ "$(grep -l '"status":"right"' "$TMPDIR"/run*.1 | wc -l)" = "$1" ]
}
told() { [ "$(grep -c "$1" "$TMPDIR/serving-err")" = 1 ]; }
learner_reads() { sed 's/\r/\n/g' "$TMPDIR/run1.1" | grep -q "for the scheduler: .*$1"; }
scontrol update PartitionName=class State=INACTIVE
instead <<'ASIS'
exec /usr/bin/sbatch "$@"
ASIS
asked 2
soon calls 3
report "an array that Slurm refuses is tried again"
remark "until the third try, after pauses of 5 and 10 s"
test_that "and serving says so once, in Slurm's words" told 'Required partition not available'
test_that "as learners read" learner_reads 'Required partition not available'
scontrol update PartitionName=class State=UP
soon answered 2
report "no request is lost by it"
soon no_lists
instead <<'ASIS'
case $* in *--array=0-0%*) exec /usr/bin/sbatch "$@" ;; esac
echo "sbatch: error: QOSMaxSubmitJobPerUserLimit" >&2
exit 1
ASIS
five_wait() { [ "$(waiting)" = 5 ]; }
kill -STOP "$serve"
asked 5
soon five_wait
kill -CONT "$serve"
soon answered 5
report "where there is a limit of jobs, arrays with fewer are tried"
remark "until all five were right"
test_that "which is said once too" told QOSMaxSubmitJobPerUserLimit
soon no_jobs
soon no_lists
instead <<'ASIS'
for script; do :; done
echo '#!/bin/sh' >"$script"
exec /usr/bin/sbatch "$@"
ASIS
asked 1
soon calls 2
report "jobs that answer nothing are tried again"
test_that "which is said" told 'have answered nothing'
instead <<'ASIS'
/usr/bin/sbatch "$@"
exec sleep 1000
ASIS
soon answered 1
report "what an sbatch submits that does not come back is done"
soon told 'has not answered within 30 s'
report "which is said when the time for it is over"
calls 2
test_that "and it is not submitted twice" [ $? != 0 ]
rm /usr/local/bin/sbatch
soon no_jobs
soon no_lists
find "$room/out" -name '*-*.json' >"$TMPDIR/answers"
test_that "each of these was answered once" [ "$(wc -l <"$TMPDIR/answers")" = $((3 * learners + 8)) ]
runs learner1 enter vecadd
WARPBOOK_WORKER="warpbook worker --room" runs learner1 run vecadd/grid-stride --on sim
expect "what is simulated waits for no job" 0 right
leads() { runs teacher room leaders vecadd && grep -q ' 1  otter-1 ' "$out"; }
soon leads
report "but enters a leaderboard by one"
soon no_jobs
soon no_lists
become teacher srun --gres=gpu:2 sleep 1000 2>/dev/null &
holder=$!
soon jobs_are R 1
# Killed in the very moment: Slurm has the array, and who submitted it does not hear that any more.
cat >/usr/local/bin/sbatch <<'ASIS'
#!/bin/sh
/usr/bin/sbatch "$@" && kill -KILL "$(cat /tmp/serve)"
ASIS
chmod +x /usr/local/bin/sbatch
echo "$serve" >/tmp/serve
before=$(next_job)
two_wait() { [ "$(waiting)" = 2 ]; }
kill -STOP "$serve"
asks 1 2
soon two_wait
kill -CONT "$serve"
wait "$serve" 2>/dev/null
rm /usr/local/bin/sbatch
serves --batch
kill "$holder"
ended() { [ "$(waiting)" = 0 ]; }
soon ended
report "what was submitted before serving was killed is done"
find "$room/out" -name '*-*.json' >"$TMPDIR/answers"
test_that "once" [ "$(wc -l <"$TMPDIR/answers")" = $((3 * learners + 11)) ]
soon no_jobs
test_that "by the two jobs that there were, beside the one that describes the machine" [ "$(next_job)" = $((before + 3)) ]
soon no_lists
report "which leave no list either"
runs teacher room close --forget
soon no_jobs
report "and the room ends without a job"
serving serve_ends "as serving does" 'has ended'
test_that "and without a file" [ ! -e "$room" ]

# ---- GPUs of the learners' own accounts ---------------------------------------------------------------------------------

opens 'CUDA day 4'
at_once join "$word" --yes --as otter-#
for number in $everybody; do
    as "learner$number" sh -c 'echo "worker = srun --gres=gpu:1 -t 5 warpbook worker" >.local/share/warpbook/site.conf'
done
serves --own
rm -f "$TMPDIR"/run*
most=0
for number in $everybody; do asks "$number" 1; done
all_ran() {
    jobs_=$(squeue -h -o %i | wc -l)
    [ "$jobs_" -le "$most" ] || most=$jobs_
    [ "$(grep -l '"status":"right"' "$TMPDIR"/run*.1 | wc -l)" = "$learners" ]
}
soon all_ran
report "$learners learners have a GPU of their own account each, and all are right"
remark "with two turns at a time, $most jobs at most"
test_that "no more jobs than turns, give or take those that end" [ "$most" -le 4 ]
soon no_jobs
report "and all is returned"
runs teacher room close --forget
serving serve_ends "the turns end with the room" 'has ended'

# ---- a rehearsal -----------------------------------------------------------------------------------------------------------

pace=$([ "$learners" -ge 60 ] || echo '--lines 5 --pause 200')
# shellcheck disable=SC2086
runs teacher room rehearse "$learners" --workers 2 $pace
expect "a rehearsal of the class loses nothing, and all its runs are right" 0 'Lost: 0. Counted twice: 0. Not seen: 0.' \
    "$learners of $learners learners had all runs of a ladder right"
sed 's/^/# /' "$out"
