#!/bin/sh
# The worker's protocol by hand, as engine/run/PROTOCOL.md describes it: whatever is sent, it answers or ends.
set -u
. tests/expect.sh
no_gpu

send() { # send TEXT...: each is written at once, with the \n in it; then the input ends
    for piece; do
        printf "$piece"
    done >"$TMPDIR/sent"
    served <"$TMPDIR/sent"
}
served() { # what the worker answers to stdin lies in $out, its greeting in $TMPDIR/greeting
    "$WARPBOOK" worker >"$TMPDIR/all" 2>"$err"
    status=$?
    head -n 1 "$TMPDIR/all" >"$TMPDIR/greeting"
    tail -n +2 "$TMPDIR/all" >"$out"
}
lines() {
    [ "$(wc -l <"$out")" = "$1" ] && ! grep -qv '^{"id":[0-9]*,".*}$' "$out"
}
refused() { # refused NAME REQUEST TEXT: one error line with code 2 and TEXT
    send "$2\n"
    expect "$1" 0 silent '"error":{"code":2,"text":"' "$3"
    test_that "in one line" lines 1
}
head='"warpbook":1,"id":7,"do"'
run="$head:\"run\",\"on\":\"cpu\",\"lab\":\"vecadd\",\"variant\":\"plain\",\"preset\":\"small\",\"reps\":1"

send ""
expect "without a request it ends in silence" 0 silent
test_that "but for its greeting" grep -q '^{"warpbook":1,"hello":{"version":"[^"]*","lessons":"[0-9a-f]*","host":' \
    "$TMPDIR/greeting"
send "{$head:\"hello\"}\n"
test_that "which it says again when it is asked to" cmp -s "$out" "$TMPDIR/greeting"

send "{$run}\n"
expect "a run has its stages and one result" 0 silent '{"id":7,"stage":"running","limit_ms":' '{"id":7,"result":{' \
    '"status":"right"'
test_that "the result comes last" sh -c "tail -n 1 '$out' | grep -q result && [ \$(grep -c result '$out') = 1 ]"
stages_end() { ! grep '"stage"' "$out" | grep -qv '"limit_ms":[1-9]'; }
test_that "every stage says how long it may take" stages_end

alone='{"warpbook":1,"id":1,"do":"run","on":"sim","file":"own.cu","source":"//@ param n = 32\\n//@ buffer x int[n] = i\\n'
alone=$alone'//@ launch k<<<1, n>>>(x, n)\\n__global__ void k(int *x, int n) { x[threadIdx.x] += n; }\\n"}\n'
if can_compile; then
    send "$alone" "$alone" "$alone"
    same_each_time() { [ "$(grep -c '"params":{"n":32}' "$out")" = 3 ] && ! grep -q '"error"' "$out"; }
    test_that "a file that stands alone runs as often as one likes" same_each_time
else
    echo "skip a file that stands alone, again and again: nothing here can compile"
fi

# ---- requests that are none

refused "what is no JSON is refused" 'hello' 'not JSON'
refused "so is an empty line" '' 'not JSON'
refused "so is half an object" '{"warpbook":1' 'not JSON'
refused "so is a list" '[1]' 'not complete'
refused "so is a string" '"run"' 'not JSON'
refused "so is a key that comes twice" '{"warpbook":1,"id":1,"id":2,"do":"describe"}' 'duplicate'
refused "so is an object with nothing in it" '{}' 'warpbook'
refused "a request needs an id" '{"warpbook":1,"do":"describe"}' 'id'
refused "an id is a number" '{"warpbook":1,"id":"a","do":"describe"}' 'Expected integer'
refused "a request says what to do" '{"warpbook":1,"id":7}' 'do'
refused "another version is named" '{"warpbook":2,"id":7,"do":"describe"}' 'version 2 of the protocol and this worker version 1'
refused "an unknown verb is named" "{$head:\"dance\"}" "how to 'dance'"
test_that "an error has the request's id" grep -q '^{"id":7,' "$out"

refused "a run says where" "{$head:\"run\"}" 'on'
refused "and on what there is" "{$head:\"run\",\"on\":\"tpu\"}" "backend 'tpu'"
refused "on the CPU it needs a lab" "{$head:\"run\",\"on\":\"cpu\",\"variant\":\"plain\"}" 'without a lab'
refused "and an implementation" "{$head:\"run\",\"on\":\"cpu\",\"lab\":\"vecadd\"}" 'without a lab'
refused "on the GPU it needs a source" "{$head:\"run\",\"on\":\"gpu\",\"lab\":\"vecadd\"}" 'without its source'
refused "an unknown lab is named" "{$head:\"run\",\"on\":\"cpu\",\"lab\":\"vectors\",\"variant\":\"plain\"}" 'vectors/plain'
refused "an unknown implementation too" "{$head:\"run\",\"on\":\"cpu\",\"lab\":\"vecadd\",\"variant\":\"x\"}" 'vecadd/x'
refused "an unknown size too" "{$head:\"run\",\"on\":\"cpu\",\"lab\":\"vecadd\",\"variant\":\"plain\",\"preset\":\"big\"}" "'big'"
refused "unknown data too" "{$run,\"data\":\"zebra\"}" "'zebra'"
refused "an unknown parameter too" "{$run,\"params\":{\"zebra\":1}}" "'zebra'"
refused "a parameter is a number" "{$run,\"params\":{\"n\":\"many\"}}" 'not a number'
refused "and one that makes sense" "{$run,\"params\":{\"n\":1e300}}" 'n must be from 1 to'
for number in '"limit_ms":-1' '"limit_ms":3600001' '"limit_ms":2147483647' '"limit_ms":4294967297' '"threads":-1' \
    '"threads":257' '"seed":-1' '"seed":2147483648' '"reps":-1' '"reps":101' '"reps":4294967297'; do
    refused "no $number" "{${run%,*},$number}" 'be 0 to '
done
send "{$head:\"run\",\"on\":\"gpu\",\"source\":\"x\"}\n"
expect "a source has a kernel and a launch" 0 silent '"error":{"code":2,"text":"' 'no kernel'
send "{$head:\"run\",\"on\":\"gpu\",\"source\":\"//@ launch k<<<1, 1>>>()\\\\n__global__ void k() {}\"}\n"
expect "what is missing here has code 3" 0 silent '"error":{"code":3,' '/nonexistent/libcuda.so.1'
send "{$run,\"reps\":true}\n"
expect "a field of the wrong type is an error, not a crash" 0 silent '"error":{"code":2,'

# ---- lines that do not come one by one

second=$(echo "$run" | sed 's/"id":7/"id":8/')
send "{$run}\n{$second}\n"
expect "two requests in one write are both answered" 0 silent '{"id":7,"result"' '{"id":8,"result"'
answers_in_order() { [ "$(sed -n 's/^{"id":\([0-9]*\),"result".*/\1/p' "$out" | tr '\n' ' ')" = "7 8 " ]; }
test_that "in their order" answers_in_order
send "hello\n{$run}\n"
expect "nonsense does not keep it from the next request" 0 silent 'not JSON' '{"id":7,"result"'
send "{$run}\r\n"
expect "a line may end as on Windows" 0 silent '{"id":7,"result"'

mkfifo "$TMPDIR/in" "$TMPDIR/back"
"$WARPBOOK" worker <"$TMPDIR/in" >"$TMPDIR/back" 2>"$err" &
worker=$!
exec 3>"$TMPDIR/in" 4<"$TMPDIR/back"
read -r _ <&4
printf '{"warpbook":1,"id":3,"do":"dan' >&3
printf 'ce"}\n{"warpbook":1,' >&3
read -r first <&4
printf '"id":4,"do":"dance"}\n' >&3
read -r next <&4
exec 3>&-
wait $worker
status=$?
exec 4<&-
printf '%s\n%s\n' "$first" "$next" >"$out"
expect "a request may come in pieces, and the next one with its end" 0 silent '{"id":3,"error"' '{"id":4,"error"'

send "{$run}"
test_that "a line that never ends is no request" [ "$status" = 0 -a ! -s "$out" ]
send "{$run}\n{$second"
expect "what came whole is answered before the end" 0 silent '{"id":7,"result"' not-out '"id":8'
{ head -c 3000000 /dev/zero | tr '\0' ' '; printf '{%s}\n' "$run"; } >"$TMPDIR/sent"
served <"$TMPDIR/sent"
expect "a line of megabytes is a line" 0 silent '{"id":7,"result"'
head -c 40000000 /dev/zero | tr '\0' x >"$TMPDIR/sent"
served <"$TMPDIR/sent"
test_that "one that is far too long ends the worker, not the machine" [ "$status" = 0 -a "$(wc -l <"$out")" -le 1 ]
head -c 100000 /dev/urandom >"$TMPDIR/sent"
served <"$TMPDIR/sent"
expect "noise is refused line by line" 0 silent 'not JSON'

# ---- describe

send "{$head:\"describe\"}\n"
expect "describe says what is here and what is missing" 0 silent '"result":{"host":' '"compilers":[' '"gpu_missing":"'
stand_in
send "{$head:\"describe\"}\n"
expect "and the GPU where there is one" 0 silent '"gpu":{"name":"Stand-in GPU"'

# ---- a process of its own

rm -f "$TMPDIR/in" "$TMPDIR/back"
mkfifo "$TMPDIR/in" "$TMPDIR/back"
"$WARPBOOK" worker <"$TMPDIR/in" >"$TMPDIR/back" 2>"$err" &
worker=$!
exec 3>"$TMPDIR/in" 4<"$TMPDIR/back"
asks() { # asks MEMBERS: has it run vecadd/1 on the GPU; $measurer is the process that did
    printf '{%s:"run","on":"gpu","lab":"vecadd","variant":"1-one-thread","file":"1-k.cu","source":"%s","preset":"small","reps":1%s}\n' \
        "$head" "$(sed 's/\\/\\\\/g; s/"/\\"/g; s/$/\\n/' kernels/vecadd/1-*.cu | tr -d '\n')" "$1" >&3
    while read -r answer <&4; do
        case $answer in *'"result"'*'"status":"right"'*) break ;; *'"error"'*) echo "# $answer" && break ;; esac
    done
    measurer=
    for process in /proc/[0-9]*; do
        grep -qs "^PPid:[^0-9]*$worker\$" "$process/status" && grep -qs measure "$process/cmdline" &&
            measurer=$measurer${process#/proc/}
    done
}
asks ''
first=$measurer
asks ''
test_that "runs on the GPU share a process" [ -n "$first" -a "$measurer" = "$first" ]
asks ',"fresh":true'
test_that "but for one that is to find nothing of those before it" [ -n "$measurer" -a "$measurer" != "$first" ]
exec 3>&-
wait $worker
exec 4<&-
refused "measure is true or false" "{$head:\"describe\",\"measure\":3}" 'Expected true or false'

# ---- what else is hidden by the name

warpbook worker --compile
expect "the compiler's own errand is not for people" 2 err "not for people"
if command -v clang >/dev/null; then
    warpbook worker --ptx "$HOME/nothing.cu"
    expect "--ptx of a file that is not there fails" 2 err "Cannot open $HOME/nothing.cu"
else
    echo "skip ptx no clang here"
fi
warpbook worker --ptx
expect "--ptx without a file is wrong use" 2 err "--ptx needs a value"

# ---- a command that runs kernels itself

stand_in
worker_is "exec '$WARPBOOK' run vecadd/1 --on gpu --size small"
warpbook run vecadd/1 --on gpu --size small
expect "a command that starts itself does not do so for ever" 3 err "starts warpbook, which starts it again"
unset WARPBOOK_WORKER
