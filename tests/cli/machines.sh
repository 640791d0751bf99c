#!/bin/sh
# A ladder on several machines at once: each machine is a line of the site's file, here one that starts a worker with a
# stand-in for its GPU.
set -u
. tests/expect.sh
no_gpu
export WARPBOOK_SITE="$TMPDIR/site.conf"
worker="env WARPBOOK_LIBCUDA=$FAKE_CUDA '$WARPBOOK' worker"
mkfifo "$TMPDIR/go" "$TMPDIR/said" "$TMPDIR/second"
cat >"$WARPBOOK_SITE" <<ASIS
machine big = $worker
machine old = $worker | sed -u 's/"code":"[0-9a-f]*"/"code":"00"/'
machine odd = $worker | sed -u 's/"n":65536/"n":65537/'
machine late = echo 'job 83 queued and waiting for resources' >&2; read -r _ <'$TMPDIR/go'; $worker
machine never = echo 'job 84 queued and waiting for resources' >&2; exec sleep 1000
machine stuck = sed -u -e '/"2-one-block"/w $TMPDIR/second' -e '/"2-one-block"/d' | $worker
machine closed = echo 'Connection refused' >&2; exit 255
ASIS
one="vecadd/grid-stride --size small"

# shellcheck disable=SC2086
warpbook run $one --on big,odd
expect "two machines stand side by side" 0 silent 'big odd' 'Stand-in GPU Stand-in GPU' 'Grid stride 0.250 ms'
test_that "each with its time, in one row" sh -c "grep -c '0.250 ms.*0.6%' '$out' | grep -qx 1"
expect "another size is not compared" 0 'other data'
# shellcheck disable=SC2086
warpbook run $one --on big,old
expect "nor is other code" 0 'other code'
warpbook run vecadd --size small --on big,big2
expect "a machine that nobody knows is named with those that are" 2 err "not 'big2'" 'Known are the machines big, old'
# shellcheck disable=SC2086
refuses 'names big twice' run $one --on big,big
refuses 'is a CPU implementation' run vecadd/plain --on big
# shellcheck disable=SC2086
refuses 'leave it out' run $one --on big --chart

# shellcheck disable=SC2086
warpbook run $one --on big,closed,here
expect "a machine that does not come keeps no other from its row" 3 'Grid stride 0.250 ms' err 'closed: ' 'Connection refused' \
    'here: The driver that'

# shellcheck disable=SC2086
"$WARPBOOK" run $one --on late,big >"$out" 2>"$TMPDIR/said" &
program=$!
exec 3<"$TMPDIR/said"
read -r line <&3
echo >"$TMPDIR/go"
wait $program
status=$?
echo "$line" >"$err"
expect "one that queues is told in its own words, and fills its column when it comes" 0 'late big' \
    err 'late: starting: job 83 queued and waiting'
test_that "with its time" grep -q 'ms.*ms' "$out"

"$WARPBOOK" run vecadd --size small --on stuck,never >"$out" 2>"$err" &
program=$!
read -r _ <"$TMPDIR/second"
kill -INT $program
wait $program
status=$?
expect "^C keeps what is there" 130 'One thread 0.250 ms' err 'never: Stopped while it was starting'
exec 3<&-

warpbook run vecadd --size small --on big,odd --json
each() { # each MACHINE: as many records as the ladder has steps
    [ "$(grep -c "\"machine\":\"$1\"" "$out")" = "$(steps_of vecadd GPU | wc -l)" ]
}
test_that "--json gives each record with its machine" each big
test_that "of all machines" each odd
expect "and nothing else" 0 silent '"status":"right"'

# ---- modelled -------------------------------------------------------------------------------------------------------

warpbook run histogram --on h100,h200
expect "GPUs that are no machines are modelled, at the simulator's size" 0 silent 'histogram, small, as the simulator' 'h100 h200' \
    'modelled modelled' '3 v3: bins in shared memory ≈' 'h100 (H100 80GB HBM3): step ' 'is the fastest, ≈' 'limited by' \
    'faster: 3' not-out 'here' '%'
# shellcheck disable=SC2086
warpbook run $one --on h200,big
expect "a machine that measures stands first, with no sign on its time" 0 silent 'big h200' 'Stand-in GPU modelled' \
    '0.250 ms 0.6% ≈' not-out '≈0.250' ' times'
LC_ALL=C warpbook run vecadd/grid-stride --on h200
expect "without UTF-8 the sign is another" 0 silent ' ~ 0.00' not-out '≈'
warpbook run tests/data/findings/bounds-end-fixed.cu --on h200
expect "a file alone is modelled too" 0 silent 'bounds-end-fixed ≈' 'h200 (H200): ≈' 'limited by'
warpbook run tests/data/good/print.cu --on h200
expect "but not what a kernel prints" 0 silent 'print unknown' \
    "no figure for printf(): each one waits for the host's memory"
warpbook run tests/data/textures/file.cu --on h200
expect "nor what textures and surfaces move" 0 silent 'file unknown' 'the simulator does not count what'
warpbook run vecadd --on h100,h200 --json
test_that "--json has a record for each step, with all GPUs" sh -c \
    "grep -c '\"backend\":\"sim\".*\"modelled\":\\[{\"gpu\":\"h100\".*\"gpu\":\"h200\"' '$out' | grep -qx 5"
test_that "and no machine" sh -c "! grep -q '\"machine\"' '$out'"
mkdir -p "$WARPBOOK_HOME/gpus"
sed -e 's/"key": "h200"/"key": "slow"/' -e '/"shared_atomic_rate"/,/value/s/"value": [0-9.]*/"value": 0.0001/' assets/gpus/h200.json \
    >"$WARPBOOK_HOME/gpus/slow.json"
warpbook run histogram --on h200,slow
expect "what pays on one GPU and not on another is said" 0 silent 'h200 slow' 'Step 3 pays on h200, not on slow.'
echo "machine h100 = $worker" >>"$WARPBOOK_SITE"
# shellcheck disable=SC2086
warpbook run $one --on h100
expect "a machine is meant before a GPU of its name" 0 'Stand-in GPU' not-out modelled
# shellcheck disable=SC2086
warpbook run $one --on model:h100
expect "which model: names" 0 silent 'h100 modelled' '≈' not-out 'Stand-in'
# shellcheck disable=SC2086
refuses 'names model:h200 twice' run $one --on h200,model:h200
warpbook run vecadd --on h200,nothing
expect "an unknown name is told with the machines and the GPUs that there are" 2 err "not 'nothing'" 'machines big, ' 'GPUs ' ' h200'
refuses "no figures of a GPU 'nothing'" run vecadd --on model:nothing
refuses 'is modelled, which takes no machine' run vecadd --on big,h200 --later
warpbook run histogram/1 --size full --limit 1 --on h200
expect "a size that the simulator cannot do in its time has no number" 1 'histogram, full' 'global atomic per byte unknown' \
    'Step 1: ' 'stopped after 1 s' not-out '≈'
stand_in
# shellcheck disable=SC2086
warpbook run $one --on h200
expect "the GPU that is here is measured beside those that are modelled" 0 silent 'here h200' 'Stand-in GPU modelled' '0.250 ms'
no_gpu

warpbook site
expect "site lists the machines" 0 "machine big = env" "machine closed = echo"
printf 'machine = x\nmachine a,b = x\nmachine c =\nmachine d = x\nmachine d = y\n' >"$WARPBOOK_SITE"
warpbook site
expect "and says what is no machine" 1 'line 1: ' 'line 2: a machine' 'line 3: nothing' 'line 5: it is set a second time' \
    'machine d = x'

# ---- later ------------------------------------------------------------------------------------------------------------

# A stand-in for Slurm: a job begins when it is told to.
mkdir "$HOME/bin"
export PATH="$HOME/bin:$PATH"
cat >"$HOME/bin/sbatch" <<ASIS
#!/bin/sh
echo "\$*" >>"$TMPDIR/sbatch"
for last; do :; done
number=\$(wc -l <"$TMPDIR/sbatch")
cp "\$last" "$TMPDIR/job\$number"
[ "\$number" -lt 4 ] || { echo "sbatch: error: the queue is closed" >&2; exit 1; }
echo "\$number;cluster"
ASIS
printf '#!/bin/sh\ncat "%s/state" 2>/dev/null\n' "$TMPDIR" >"$HOME/bin/squeue"
chmod +x "$HOME/bin"/s*
cat >"$WARPBOOK_SITE" <<ASIS
account = m1759
machine b = srun -C big $WARPBOOK worker
machine c = ssh c warpbook worker
ASIS
case $WARPBOOK in *' '*) echo "skip later the path of the program has a blank" && exit 0 ;; esac

warpbook run --collect
expect "before anything was left for later there is nothing to collect" 2 err 'nothing to collect'
refuses 'for machines' run vecadd --later
# shellcheck disable=SC2086
warpbook run $one --on b,c --later
expect "each machine is a job" 2 'b: job 1' 'run --collect 1' err 'c cannot be left for later'
# shellcheck disable=SC2086
warpbook run $one --on b --later --set n=5000
expect "another time is another number" 0 silent 'b: job 2' 'run --collect 2'
test_that "a job has the options of the machine's srun" grep -q -- '^--parsable .* -C big /' "$TMPDIR/sbatch"
echo 'PENDING (Resources)' >"$TMPDIR/state"
warpbook run --collect
expect "while a job queues, collect says so" 3 silent 'queued' 'b: starting: job 2 queued'
echo 'RUNNING (None)' >"$TMPDIR/state"
warpbook run --collect
expect "and that it runs" 3 silent 'runs' 'b: running: job 2 RUNNING'
stand_in
sh "$TMPDIR/job2"
no_gpu
warpbook run --collect
expect "what a job left is shown" 0 silent 'Grid stride 0.250 ms'
warpbook run --collect --json
expect "for programs, too" 0 silent '"machine":"b"' '"params":{"n":5000}'
own_copy vecadd/4-grid-stride.cu <<ASIS
$(sed 's/__global__/__global__ __launch_bounds__(1024)/' kernels/vecadd/4-grid-stride.cu)
ASIS
warpbook run --collect
expect "a kernel that was changed since is other code" 0 silent 'other code'
rm -r "$WARPBOOK_HOME/kernels"
: >"$TMPDIR/state"
warpbook run --collect 1
expect "a job that ended without a result is named" 3 err 'b: Its job 1 has ended without a result'
sh "$TMPDIR/job1"
warpbook run --collect 1
expect "with what it wrote" 3 err 'b: Its job 1 has ended without a result. It wrote:' 'nonexistent'
# shellcheck disable=SC2086
warpbook run $one --on b --later
# shellcheck disable=SC2086
warpbook run $one --on b --later
expect "a job that is not taken is told in sbatch's words" 3 err 'sbatch took no job: sbatch: error: the queue is closed'
printf 'x' >"$WARPBOOK_HOME/later/2/request"
warpbook run --collect 2
expect "a damaged request is a sentence" 3 err 'does not say what was asked for'
printf '{"lab":1}\nnonsense\n' >"$WARPBOOK_HOME/later/3/b.jsonl"
warpbook run --collect 3
expect "and damaged records are none" 3 err 'without a result'
