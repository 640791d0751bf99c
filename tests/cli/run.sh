#!/bin/sh
# run on the CPU, and what a ladder says where there is no GPU.
set -u
. tests/expect.sh
no_gpu

small="--size small --reps 1"

in_order() { # in_order NAMES: the records are of these, one a line
    [ "$(field variant | tr '\n' ' ')" = "$(echo "$1" | tr '\n' ' ')" ]
}
only() { # only KEY VALUE: every record says so
    [ -s "$out" ] && [ "$(field "$1" | sort -u)" = "$2" ]
}

for lab in $labs; do
    [ "$lab" = banks ] && continue
    warpbook run "$lab" $small --on cpu --json
    expect "$lab runs on the CPU" 0 silent
    test_that "$lab runs its CPU ladder in the order of list" in_order "$(steps_of "$lab" CPU)"
    test_that "$lab is right on the CPU" only status right
done
warpbook run histogram $small --on cpu
expect "a ladder is a table" 0 silent "histogram - Histogram of bytes" "n = 262,144" "data: uniform" \
    "step time" "CPU" "Plain loop" "right"
no_wider() { ! grep -E ".{$(($1 + 1))}" "$out"; }
test_that "the table fits 80 columns" no_wider 80
test_that "names are whole at 80 columns" has "$out" "OpenMP, private bins, contiguous "
warpbook run "histogram/$(steps_of histogram CPU | tail -n 1)" $small
expect "one CPU implementation runs alone" 0 silent "right" not-out "Plain loop"

# ---- sizes and data

for data in uniform constant skewed; do
    warpbook run histogram $small --on cpu --json --data $data
    test_that "histogram is right on $data data" only status right
    test_that "and its records name $data" only data $data
done
odd() { # odd LAB SETTING...: a size that is no multiple of anything
    lab=$1 settings=
    shift
    for setting; do
        settings="$settings --set $setting"
    done
    warpbook run "$lab" $small --on cpu --json $settings
    test_that "$lab is right with $*" only status right
}
odd vecadd n=1
odd vecadd n=1001
odd divergence n=1
odd reduction n=1
odd reduction n=1023
odd histogram n=1
odd histogram n=1001
odd transpose rows=1 cols=1
odd transpose rows=33 cols=7
odd matvec L=1 M=1 N=1
odd matvec L=3 M=5 N=7
odd coalescing n=32
warpbook run vecadd --set "n=1<<10" --reps 1 --on cpu
expect "a value may be an expression" 0 silent "n = 1,024"
warpbook run vecadd --on cpu --set n=100 --set n=200 --reps 1
expect "the last of two settings counts" 0 "n = 200"
if [ "$(sed -n 's/^MemAvailable: *\([0-9]*\).*/\1/p' /proc/meminfo)" -gt 32000000 ]; then
    echo "skip memory this machine has room for every size"
else
    warpbook run vecadd --set "n=1<<30" --on cpu
    expect "a size that does not fit in memory is refused up front, once" 3 not-out "right" \
        err "of memory, and" "free here" "--size small" not-err "openmp"
fi

# ---- --json

warpbook run reduction $small --on cpu --json
test_that "--json writes one object a line" sh -c "! grep -qv '^{.*}\$' '$out'"
is_json() { # the worker reads JSON: a record is one, but no request
    ! "$WARPBOOK" worker <"$out" | grep -q 'is not JSON'
}
test_that "every line is JSON" is_json
documented() {
    sed 's/"params":{[^}]*}//; s/"diagnostics":\[[^]]*\]//' "$out" | grep -o '"[a-z0-9_]*":' | tr -d '":' |
        sort -u >"$TMPDIR/keys"
    [ "$(wc -l <"$TMPDIR/keys")" -gt 10 ] && while read -r key; do
        grep -q "^|.*\`$key\`.*|" engine/run/PROTOCOL.md || return 1
    done <"$TMPDIR/keys"
}
test_that "every key is documented" documented
for key in lab variant title backend status preset params device compiler date median_ms min_ms reps bytes \
    operations bandwidth_gbps threads total_ms compared wrong tolerance; do
    test_that "a record has $key" sh -c "! grep -qv '\"$key\":' '$out'"
done
test_that "what is not known is absent: one repeat has no spread" sh -c "! grep -q spread_pct '$out'"
warpbook run reduction/plain --size small --reps 7 --on cpu --json
test_that "--reps measures so often" only reps 7
test_that "more than one repeat has a spread" grep -q '"spread_pct":' "$out"

# ---- what ships: results of an H100

COLUMNS=80 warpbook run attention/5
test_that "a rate that its column cannot hold is in thousands" grep -Eq '^  5 .* [1-9][0-9]{2}k [0-9.]+% ' "$out"

# ---- without a GPU: what ships is kernels, and later results that this test makes

mkdir -p "$HOME/share/assets/recorded" "$HOME/share/engine"
ln -s "$ROOT/kernels" "$HOME/share/kernels"
ln -s "$ROOT/engine/gpu" "$HOME/share/engine/gpu"
for part in clang include ptx; do
    ln -s "$ROOT/assets/$part" "$HOME/share/assets/$part"
done
export WARPBOOK_DATA="$HOME/share"

warpbook run vecadd $small
expect "without a GPU the CPU ladder runs, and one sentence says what is missing" 0 silent "Plain loop" "OpenMP" \
    "/nonexistent/libcuda.so.1" "No results of a real GPU were recorded"
warpbook run vecadd $small --json
expect "with --json the sentence goes to stderr" 0 err "/nonexistent/libcuda.so.1" not-out "nonexistent"
warpbook run vecadd $small --on gpu
expect "--on gpu without a GPU is status 3" 3 err "1-one-thread: The driver" not-err "2-one-block"
warpbook run vecadd/2 $small
expect "so is one kernel" 3 "/nonexistent/libcuda.so.1"
warpbook run banks $small
expect "so is a lab that has nothing on the CPU" 3 "/nonexistent/libcuda.so.1"
warpbook run tests/data/good/print.cu
expect "so is a file that stands alone" 3 err "print: The driver"

stand_in
warpbook run vecadd $small --on gpu --json
no_gpu
recorded=$HOME/share/assets/recorded/vecadd.jsonl
if [ "$status" = 0 ]; then
    # All steps but the last.
    sed '$d; s/"date":"[^"]*"/"date":"2020-02-02T00:00:00Z"/; s/"device":"[^"]*"/"device":"Old \\u001b[31mGPU"/' \
        "$out" >"$recorded"
    warpbook run vecadd $small
    expect "recorded results stand in, with the GPU's name and the date" 0 silent "Plain loop" \
        "recorded earlier on a real GPU" "GPU Old <U+001B>[31mGPU" "recorded 2020-02-02" "1 One thread" "(rec)" \
        not-out "16-byte loads"
    warpbook run vecadd $small --json
    test_that "a record says that it is recorded" [ "$(grep -c '"recorded":true' "$out")" = 4 ]
    warpbook run vecadd --set n=4096 --reps 1
    expect "for another size none is shown" 0 silent "No results of a real GPU were recorded" not-out "(rec)"
    sed 's/c\[i\] = a\[i\] + b\[i\]/c[i] = b[i] + a[i]/' kernels/vecadd/1-one-thread.cu |
        own_copy vecadd/1-one-thread.cu
    warpbook run vecadd $small
    expect "a kernel that was changed has no recorded result" 0 "2 One block" not-out "1 One thread"
    rm -r "$WARPBOOK_HOME/kernels"
    sed -i 's/"preset":"small"/"preset":"full"/' "$recorded"
    warpbook run vecadd $small
    expect "where the full size has some it says so" 0 silent "--size full has some" not-out "(rec)"
    echo 'not JSON' >"$recorded"
    warpbook run vecadd $small
    expect "a damaged file of results is no results" 0 silent "No results of a real GPU were recorded"
else
    echo "skip recorded nothing here compiles"
fi
unset WARPBOOK_DATA

# ---- colours, locales, terminals

LC_ALL=C warpbook run matvec $small --on cpu
expect "in another locale bars are ASCII" 0 silent "##"
test_that "and so is everything else" sh -c "! LC_ALL=C grep -q '[^ -~]' '$out'"
LC_ALL=no_SUCH warpbook run vecadd/plain $small
expect "a locale that is not there does no harm" 0 "right"

plain_text() { ! raw_controls "$out"; }
coloured() { grep -q "$(printf '\033\\[')" "$out"; }
if terminals_here; then
    on_terminal 80 "run histogram $small --on cpu"
    test_that "on a terminal there is colour and progress" coloured
    colourless=1 on_terminal 80 "run histogram $small --on cpu 2>/dev/null"
    test_that "NO_COLOR takes the colour away" plain_text
    term=dumb on_terminal 80 "run histogram $small --on cpu"
    test_that "so does TERM=dumb, and the progress" plain_text
    for columns in 40 60 80 200; do
        on_terminal $columns "run histogram $small --on cpu 2>/dev/null"
        test_that "the table fits $columns columns" fits $columns
    done
    for columns in 60 80 200; do
        on_terminal $columns help
        test_that "the list of commands fits $columns columns" fits $columns
    done
else
    echo "skip terminals script(1) cannot make one here"
fi

# ---- Ctrl-C

mkfifo "$TMPDIR/started"
worker_is "echo \$\$ >'$TMPDIR/started'; exec sleep 1000"
"$WARPBOOK" run vecadd $small >"$out" 2>"$err" &
run=$!
worker=$(timeout 300 head -n 1 "$TMPDIR/started")
kill -INT $run
wait $run
status=$?
expect "Ctrl-C ends a run with status 130" 130
while kill -0 "$worker" 2>/dev/null; do # a foreign worker is given time to end; the suite's limit ends the test
    :
done
test_that "and leaves no worker behind" true

# ---- a reader that has had enough

# Whoever holds the pipe open is alive: its reader waits for the last of them. A second worker, which there should not be,
# would wait for a second reader.
worker_is "[ -e '$TMPDIR/once' ] || exec 9>'$TMPDIR/started'; : >'$TMPDIR/once'; exec '$WARPBOOK' worker"
"$WARPBOOK" run histogram $small 2>"$err" | head -n 1 >"$out" &
timeout 300 cat "$TMPDIR/started"
status=$?
wait
expect "when its reader goes, a run ends in silence, and its worker too" 0 silent "histogram - Histogram of bytes"

# ---- without the usual streams

unset WARPBOOK_WORKER

closed_input() { "$WARPBOOK" run vecadd/plain --on cpu $small <&- | grep -q right; }
test_that "a closed stdin takes no stream from the worker" closed_input
closed_output() { "$WARPBOOK" list >&- 2>"$err"; [ $? = 3 ] && grep -q "could not be written" "$err"; }
test_that "a closed stdout is an output that could not be written" closed_output
