#!/bin/sh
# A room's queue: learners' runs on the GPU go through the instructor's `room serve`; what needs no GPU runs where they are.
set -u
. tests/expect.sh
stand_in
export WARPBOOK_ROOMS="$TMPDIR/rooms" WARPBOOK_LOCKS="$TMPDIR"
mkdir -m 755 "$WARPBOOK_ROOMS"
learner=$(cd "$BUILD" && pwd)/warpbook

queued() { # queued ARGUMENT...: as a learner
    WARPBOOK_WORKER="'$learner' worker --room" "$WARPBOOK" "$@" >"$out" 2>"$err" </dev/null
    status=$?
}

queued run vecadd/3 --on gpu --size small
expect "who is in no room has no queue" 3 err "You are not in a room"
warpbook room open "CUDA day 1"
word=$(sed -n 's/.*warpbook join //p' "$out")
warpbook join "$word" --yes
queued run vecadd/3 --on gpu --size small
expect "a queue that nobody serves is said so" 3 err "Nobody serves the queue of the room $word" "room serve"
queued run vecadd/3 --on sim
expect "the simulator needs no queue" 0 out "right"

WARPBOOK_CUB="$BUILD/test/libfakelibrary.so" "$WARPBOOK" room serve >"$TMPDIR/serve.out" 2>&1 </dev/null &
serve=$!
state=$WARPBOOK_ROOMS/$word/out/queue.json
until [ -s "$state" ] || ! kill -0 $serve 2>/dev/null; do
    :
done
warpbook join "$word" --yes
expect "who joins is told of the queue" 0 out "WARPBOOK_WORKER='warpbook worker --room'"
queued run vecadd/3 --on gpu --size small
expect "a run goes through the queue" 0 out "right" "Stand-in GPU"
if can_compile; then
    queued run scan --on gpu --size small
    expect "a ladder with its library's row, which the room's machine has" 0 out "CUB, DeviceScan " not-out "wrong" "failed"
fi
cat >"$TMPDIR/bad.cu" <<'END'
//@ buffer x float[32] = i
//@ launch k<<<1, 32>>>(x)
extern "C" __global__ void k(float *x) { x[threadIdx.x] = y; }
END
queued run "$TMPDIR/bad.cu" --on gpu
if can_compile; then
    expect "what does not compile never gets there" 1 out "bad.cu:3:59: error: "
else
    expect "what cannot be compiled never gets there" 3 err "compile"
fi
test_that "no request is left" [ -z "$(ls "$WARPBOOK_ROOMS/$word/q")" ]
queued doctor
expect "the GPU that a learner has is the queue's" 0 out "Stand-in GPU" "worker --room"
until_free() { # until no request is left; soon
    tries=5000
    until [ -z "$(ls "$WARPBOOK_ROOMS/$word/q")" ] || [ $((tries -= 1)) -le 0 ]; do
        :
    done
    [ $tries -gt 0 ]
}
warpbook enter no-lab
expect "a leaderboard is of a lab" 2 err "no-lab"
warpbook enter vecadd
expect "a learner enters it by choice" 0 out "enter the leaderboard"
warpbook room leaders vecadd
expect "which is empty before the room measured anything" 0 out "Nobody who entered vecadd"
queued run vecadd/3 --on sim
expect "what a learner simulates then still runs at once, where they are" 0 out "right"
until_free
queued run vecadd/5 --on sim --size small --instructions
queued run vecadd/1 --on sim --set n=1000
warpbook shares
name=$(sed -n 's/.*, as \([a-z0-9-]*\)[.;].*/\1/p' "$out" | head -n 1)
warpbook room leaders vecadd
expect "and is counted again by the room, which ranks it without a GPU" 0 out "vecadd, small, uniform, simulator" \
    "sectors, wavefronts, instructions" " 1 $name"
test_that "each once, and no run of another kind" [ "$(grep -c '"counts"' "$WARPBOOK_ROOMS/$word/keep/results.jsonl")" = 1 ]
kill $serve
wait $serve
status=$?
cp "$TMPDIR/serve.out" "$out"
expect "serving ends when it is asked to" 0 silent

# ---- a change of mind -------------------------------------------------------------------------------------------------

# A worker that never comes back from a run; what starts it is killed with it.
cat >"$TMPDIR/hangs.sh" <<'END'
while read -r line; do
    id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
    case $line in
    *'"do":"hello"'*) echo '{"warpbook":1,"hello":{}}' ;;
    *'"do":"describe"'*) printf '{"id":%s,"result":{"gpu":{"target":90}}}\n' "$id" ;;
    *) while read -r line; do :; done ;;
    esac
done
END
ask() { # ask: a learner's run, in the background as $asker
    : >"$TMPDIR/ask.err" # here: what the last one was told must be gone before this one has begun
    WARPBOOK_WORKER="'$learner' worker --room" "$WARPBOOK" run vecadd/3 --on gpu --size small >"$TMPDIR/ask.out" 2>"$TMPDIR/ask.err" \
        </dev/null &
    asker=$!
}
heard() { # heard: what that learner was told, after it ended
    wait $asker
    status=$?
    cat "$TMPDIR/ask.out" >"$out"
    cat "$TMPDIR/ask.err" >"$err"
}
serve_hanging() {
    rm -f "$state"
    "$WARPBOOK" room serve --worker "exec sh '$TMPDIR/hangs.sh'" >"$TMPDIR/serve.out" 2>&1 </dev/null &
    serve=$!
    until [ -s "$state" ] || ! kill -0 $serve 2>/dev/null; do
        :
    done
}
says() { # says WORDS: until the queue's state does
    until grep -q "$1" "$state" 2>/dev/null || ! kill -0 $serve 2>/dev/null; do
        :
    done
}

warpbook withdraw vecadd
serve_hanging
ask
says '"running":\["'
kill -INT $asker
heard
expect "a learner's ^C ends the run" 130 err "Stopped while it was" "in the class queue"
says '"running":\[\]'
test_that "and takes it back, so that the worker is free" until_free
ask
says '"running":\["'
queued run vecadd/3 --on sim
expect "a simulation waits for no run of the queue" 0 out "right"
began=$(date +%s)
kill -INT $serve
wait $serve
status=$?
test_that "serving ends by ^C while a run measures" [ $(($(date +%s) - began)) -le 3 ] && [ $status = 0 ]
heard
expect "whose learner is told" 3 err "The class queue was ended while this ran"
ask
until grep -q "nobody serves" "$TMPDIR/ask.err" || ! kill -0 $asker 2>/dev/null; do
    :
done
kill -INT $asker
heard
expect "who asks then is told that nobody serves it" 130 err "waiting in the class queue, which nobody serves now"
until_free
serve_hanging
ask
says '"running":\["'
began=$(date +%s)
warpbook room close
expect "a room closes while a run measures" 0 out "is closed"
wait $serve
status=$?
test_that "and its serving ends with it" [ $(($(date +%s) - began)) -le 3 ] && [ $status = 0 ]
heard
expect "and so does the run" 3 err "The room $word has ended, and its queue with it"
queued run vecadd/3 --on gpu --size small
expect "nor does another one wait for it" 3 err "The room $word has ended"
warpbook room open "CUDA day 2"
word=$(sed -n 's/.*warpbook join //p' "$out")
state=$WARPBOOK_ROOMS/$word/out/queue.json
warpbook join "$word" --yes

# ---- turns --------------------------------------------------------------------------------------------------------------

"$WARPBOOK" room serve --own >"$TMPDIR/serve.out" 2>&1 </dev/null &
serve=$!
until [ -s "$state" ] || ! kill -0 $serve 2>/dev/null; do
    :
done
queued run vecadd/3 --on gpu --size small
expect "where learners have GPUs of their own, the queue gives turns" 0 out "right" "Stand-in GPU"
turns() { find "$WARPBOOK_ROOMS/$word/$1" -name '*-*.json' -exec grep -l '"go":true' {} + | wc -l; }
test_that "which are taken back" [ "$(turns out)" = 1 ] && [ -z "$(ls "$WARPBOOK_ROOMS/$word/q")" ]
kill $serve
wait $serve
status=$?
warpbook room close --forget
expect "and the room closes with its queue" 0 out "is closed"

# One GPU and two learners: whose worker starts second waits until the first one has ended, as with a scheduler.
cat >"$TMPDIR/only.sh" <<END
exec 9>"$TMPDIR/only"
flock 9
echo begins >>"$TMPDIR/held"
"$learner" worker
echo ends >>"$TMPDIR/held"
END
echo "worker = sh '$TMPDIR/only.sh'" >"$TMPDIR/site.conf"
warpbook room open "CUDA day 3" --shared-account
word=$(sed -n 's/.*warpbook join //p' "$out")
state=$WARPBOOK_ROOMS/$word/out/queue.json
"$WARPBOOK" room serve --own --workers 2 >"$TMPDIR/serve.out" 2>&1 </dev/null &
serve=$!
until [ -s "$state" ] || ! kill -0 $serve 2>/dev/null; do
    :
done
export WARPBOOK_SITE="$TMPDIR/site.conf"
home=$WARPBOOK_HOME
export WARPBOOK_HOME="$home/ada"
warpbook join "$word" --yes --as otter-21
mkfifo "$TMPDIR/screen"
"$learner" worker --room <"$TMPDIR/screen" >"$TMPDIR/answers" 2>&1 & # as a screen has it
screen=$!
exec 7>"$TMPDIR/screen"
awk '{ gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); source = source $0 "\\n" }
    END { printf "{\"warpbook\":1,\"id\":1,\"do\":\"run\",\"on\":\"gpu\",\"lab\":\"vecadd\",\"variant\":\"mine\",\"file\":\"3-mine.cu\"," \
              "\"preset\":\"small\",\"reps\":3,\"source\":\"%s\"}\n", source }' kernels/vecadd/3-*.cu >&7
until grep -q '"result"\|"error"' "$TMPDIR/answers" || ! kill -0 $screen 2>/dev/null; do
    :
done
test_that "a screen keeps its GPU for what comes next" [ "$(cat "$TMPDIR/held")" = begins ]
export WARPBOOK_HOME="$home/ben"
warpbook join "$word" --yes --as otter-22
began=$(date +%s)
queued run vecadd/3 --on gpu --size small
expect "but not while another learner wants one" 0 out "right"
test_that "who has it long before the minute is over that a worker waits" [ $(($(date +%s) - began)) -lt 30 ]
exec 7>&-
wait $screen
kill $serve
wait $serve
export WARPBOOK_HOME="$home" WARPBOOK_SITE=none
warpbook room close "$word" --forget

# ---- data that no kernel has seen -----------------------------------------------------------------------------------

# What enters a leaderboard is run on other data at each repeat, by a seed of serve's own: this kernel knows its first sum.
cat >"$TMPDIR/sum.cu" <<'END'
//@ launch reduce<<<1, 256>>>(data, total, n)
__device__ int runs, kept;
extern "C" __global__ void reduce(const int *data, int *total, int n)
{
    if (runs > 0) {
        if (threadIdx.x == 0)
            *total = kept;
        return;
    }
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += 256)
        sum += data[i];
    atomicAdd(total, sum);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        kept = atomicAdd(total, 0);
        runs = 1;
    }
}
END
seeded() { # seeded FILE LAB PARAMS SEED: as serve asks a worker
    awk -v lab="$2" -v params="$3" -v seed="$4" 'BEGIN {
            printf "{\"warpbook\":1,\"id\":1,\"do\":\"run\",\"on\":\"gpu\",\"lab\":\"%s\",\"variant\":\"50-remembers\"," \
                "\"file\":\"50-remembers.cu\",\"preset\":\"small\",\"params\":{%s},\"reps\":4,\"seed\":%d,\"source\":\"", lab, params, seed }
        { gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); gsub(/\t/, " "); printf "%s\\n", $0 } END { print "\"}" }' "$1" | "$WARPBOOK" worker >"$out" 2>"$err"
    status=$?
}
remembers() { # remembers LAB PARAMS: the kernel on stdin does
    cat >"$TMPDIR/50-remembers.cu"
    seeded "$TMPDIR/50-remembers.cu" "$1" "$2" 0
    expect "a kernel of $1 that remembers is right while the data stay the same" 0 '"status":"right"'
    seeded "$TMPDIR/50-remembers.cu" "$1" "$2" 7
    expect "and wrong on data that it has not seen" 0 '"status":"wrong"'
}
if can_compile; then
    remembers reduction '"n":65536' <"$TMPDIR/sum.cu"
    # Labs whose answer is known by a formula: rows change places.
    remembers matmul '"n":32' <<'END'
//@ launch product<<<1, 32>>>(a, b, c, n)
__device__ int runs;
__device__ float kept[1024];
extern "C" __global__ void product(const float *a, const float *b, float *c, int n)
{
    for (int e = threadIdx.x; e < n * n; e += 32) {
        float sum = 0;
        for (int k = 0; k < n; k++)
            sum += a[e / n * n + k] * b[k * n + e % n];
        if (runs == 0)
            kept[e] = sum;
        c[e] = kept[e];
    }
    __syncthreads();
    if (threadIdx.x == 0)
        runs = 1;
}
END
    # A lab whose answer may come in any order: what is kept changes, and where it is.
    remembers compact '"n":65536' <<'END'
//@ launch known<<<(n / 2 + 255) / 256, 256>>>(out, count, n / 2)
extern "C" __global__ void known(int *out, int *count, int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < limit)
        out[i] = i;
    if (i == 0)
        *count = limit;
}
END
    remembers compact '"n":4096' <<'END'
//@ launch compact<<<1, 32>>>(in, out, count, n, n / 2)
__device__ int runs, place[4096];
extern "C" __global__ void compact(const int *in, int *out, int *count, int n, int limit)
{
    if (runs == 0 && threadIdx.x == 0)
        for (int i = 0, kept = 0; i < n; i++)
            place[i] = in[i] < limit ? kept++ : -1;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 32)
        if (place[i] >= 0)
            out[place[i]] = in[i];
    *count = limit;
    runs = 1;
}
END
    remembers banks '"n":1048576' <<'END'
//@ launch sums<<<1, 256>>>(x, out, n)
__device__ int runs;
__device__ unsigned kept[1024];
extern "C" __global__ void sums(const unsigned *x, unsigned *out, int n)
{
    for (int t = threadIdx.x; t < n / 1024; t += 256) {
        if (runs == 0)
            kept[t] = 32 * (32 * x[t / 256 * 1024] + 496);
        out[t] = kept[t];
    }
    __syncthreads();
    if (threadIdx.x == 0)
        runs = 1;
}
END
    for run in compact/1-atomic.cu:'"n":65536' compact/4-in-order.cu:'"n":65536' matmul/2-coalesced.cu:'"n":64' banks/9-padded.cu:'"n":524288' tensor/1-global.cu:'"n":64' attention/2-online.cu:'"heads":2,"n":64'; do
        file=${run%%:*}
        seeded "kernels/$file" "${file%%/*}" "${run#*:}" 7
        expect "a kernel of ${file%%/*} that works is right on all of them" 0 '"status":"right"'
    done
fi
