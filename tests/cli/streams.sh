#!/bin/sh
# run of host programs: the lab streams with its records, and live by a stand-in for nvcc on the stand-in for a GPU.
set -u
. tests/expect.sh

steps="1-pageable 2-page-locked 3-streams 4-default-stream 5-synchronised"

no_gpu
warpbook list
expect "list names the lab" 0 silent "streams Copies and kernels at the same time"
warpbook list streams
# shellcheck disable=SC2086 # one word for each step
expect "and its steps" 0 silent $steps "Sixteen parts in four streams"
refuses "have no ladder and no kernel to step: 'warpbook run streams'" sim streams/3

# ---- recorded ------------------------------------------------------------------------------------------------

warpbook run streams
expect "without a GPU the records are shown, and called so" 0 silent "There is no NVIDIA GPU here. These are records." \
    "1-pageable Pageable memory, one stream" "stream 0 copy in" "kernel" "copy out" "stream 3" "default kernel" \
    "CPU in calls" "A bar begins when its stream gets there"
test_that "of every step as it ships, with GPU and date" \
    [ "$(grep -cE '^ [0-9.]+ ms recorded on NVIDIA [A-Z0-9]+, 20[0-9-]{8}; right$' "$out")" = 5 ]
test_that "in 80 columns" [ "$(tr -cd '\n -~' <"$out" | grep -cE '.{81}')" = 0 ]
LC_ALL=C warpbook run streams/3
expect "one of them, in ASCII" 0 silent "3-streams Sixteen parts" "###" "===" not-out "1-pageable"
test_that "without any other byte" [ -z "$(LC_ALL=C tr -d '\n -~' <"$out")" ]
stand_in
export WARPBOOK_NVCC=none
warpbook run streams/synchronised
expect "without nvcc too" 0 silent "There is no nvcc of NVIDIA's CUDA Toolkit" "These are records." "5-synchronised" \
    "recorded on"
warpbook run streams/2 --json
expect "as JSON a record has the code that it is of" 0 silent '"lab":"streams","variant":"2-page-locked","code":"' \
    '"recorded":true' '"device":"NVIDIA' '"spans":[[0,"copy in",'

# Overlap is what the lab is about: what the records say of it.
total() { # total STEP
    "$WARPBOOK" run "streams/$1" --json | sed -n 's/.*"total_ms":\([0-9.]*\).*/\1/p'
}
less() { # less STEP SHARE OTHER: its time is below that share of the other's
    awk "BEGIN { exit !($(total "$1") < $2 * $(total "$3")) }"
}
test_that "page-locked memory is faster than pageable" less 2 0.5 1
test_that "streams hide much of the copies" less 3 0.6 2
test_that "a launch into the default stream undoes most of that" less 3 0.6 4
test_that "and a wait in the loop all of it" less 3 0.6 5

# ---- live ------------------------------------------------------------------------------------------------------

# A program that prints what is on stdin, made by a compiler that is not nvcc. How it ends is its own affair, also where
# a sanitizer watches the process that loads it.
ASAN_OPTIONS=detect_leaks=0:handle_abort=0
export ASAN_OPTIONS
export WARPBOOK_NVCC="$TMPDIR/nvcc"
nvcc_says() {
    {
        printf '#!/bin/sh\n[ -s program.cu ] || exit 9\n%s -shared -fPIC -xc -o program.so - <<END\n' "${CC:-cc}"
        printf '#include <stdio.h>\n#include <stdlib.h>\nint main(void)\n{\n'
        cat
        printf 'return 0;\n}\nEND\n'
    } >"$WARPBOOK_NVCC"
    chmod +x "$WARPBOOK_NVCC"
}
cat >"$TMPDIR/line" <<'END'
puts("timeline: 4.000 ms on A GPU");
puts("timeline: stream 0, copy in, 0.000 to 1.000 ms");
puts("timeline: CPU in the call, 0.000 to 0.100 ms");
puts("timeline: stream 1, copy in, 0.500 to 2.000 ms");
puts("timeline: stream -1, kernel, 2.000 to 4.000 ms");
puts("hello\033[31m");
END
{
    cat "$TMPDIR/line"
    echo 'puts("timeline: right");'
} | nvcc_says
warpbook run streams/4
expect "what a program prints becomes its time line" 0 "4-default-stream" "4.000 ms on A GPU; right" "hello<U+001B>[31m" \
    not-out "recorded" "These are records" err "4-default-stream is compiled ..."
test_that "in order, to scale" grep -qE "^ stream 1  copy in +(·)+(█)+$" "$out"
test_that "with a scale" grep -qE "^ ms                  0 +1 +2 +3 +4?" "$out"
mine=$HOME/mine.cu
printf '// int main(\nint helper();\nint main()\n{\n}\n' >"$mine"
warpbook run "$mine"
expect "a file with a main runs the same way" 0 "mine.cu" "4.000 ms on A GPU; right"
warpbook run streams/1 --json
expect "and gives a record" 0 not-out '"recorded":true' out '"variant":"1-pageable"' '"device":"A GPU"' '"total_ms":4' '"status":"right"'

{
    cat "$TMPDIR/line"
    echo 'puts("timeline: wrong: data[3] is 4, and should be 5"); exit(1);'
} | nvcc_says
warpbook run streams/3
expect "a wrong result is one" 1 "wrong: data[3] is 4, and should be 5"
nvcc_says <<'END'
fputs("no luck\033[2J", stderr); exit(3);
END
warpbook run "$mine"
expect "a program that fails says why" 1 err "The program ended with status 3. It said:" "no luck<U+001B>[2J"
nvcc_says <<'END'
abort();
END
warpbook run "$mine"
expect "one that crashes is told of" 1 err "The program was killed by signal 6"
nvcc_says <<'END'
for (int i = 0; i < 5000; i++) printf("timeline: stream %d, x, %d to %d ms\n", i % 40 - 3, i, i * 3 / 2); puts("timeline: nan ms on X");
END
warpbook run "$mine"
expect "nonsense is left out" 0 not-err "warpbook:"
nvcc_says <<'END'
FILE *f = fopen("/etc/passwd", "r"), *g = fopen("/tmp/warpbook-evil", "w"); printf("read %d write %d other %d\n", !!f, !!g, system("true") == 0);
END
case $BUILD$("$WARPBOOK" doctor --json | grep '"landlock":') in
*/asan*) echo "skip confined a sanitizer's build is not confined" ;;
*landlock\":\ [1-9]*)
    warpbook run "$mine"
    expect "it is confined" 0 "read 0 write 0 other 0"
    ;;
*) echo "skip confined no Landlock here" ;;
esac
# It would take all, with and without its output open, and soon: what it takes is looked at from outside.
for closes in "" "fclose(stdout); fclose(stderr);"; do
    printf '%s for (long i = 0;; i++) { char *more = malloc(1 << 20); for (int k = 0; more && k < 1 << 20; k += 4096) more[k] = 1; }\n' \
        "$closes" | nvcc_says
    warpbook run "$mine" --memory 64M
    expect "a program that takes memory without end is ended" 1 err "The program was ended: it had taken" \
        "of memory, and may take 64 MiB. --memory allows more."
done
nvcc_says <<'END'
puts("timeline: right");
END
warpbook run "$mine" --memory 1G
expect "one that takes little is not" 0 not-err "was ended"
printf '#!/bin/sh\necho "program.cu(3): error: no such thing" >&2\nexit 2\n' >"$TMPDIR/nvcc"
warpbook run "$mine"
expect "what nvcc says against it is shown" 1 err "nvcc ended with status 2:" "program.cu(3): error: no such thing"
test_that "and nothing is left behind" [ -z "$(find "$TMPDIR" -maxdepth 1 -name 'warpbook-*')" ]

# ---- kept, and one's own -----------------------------------------------------------------------------------------

nvcc_says <"$TMPDIR/line"
warpbook run streams/2
warpbook workbook
expect "what ran is in the workbook" 0 "run streams/2-page-locked gpu 4.000 ms unchecked"
warpbook report
expect "and in the report" 0 ": host programs." "2-page-locked"
no_gpu
warpbook run streams/1
warpbook workbook
expect "what was recorded elsewhere is not" 0 not-out "1-pageable gpu 71"
mkdir -p "$WARPBOOK_HOME/kernels/streams"
sed 's/chunks = 16/chunks = 8/' assets/programs/streams/3-streams.cu >"$WARPBOOK_HOME/kernels/streams/3-streams.cu"
warpbook list streams
expect "a copy of one's own is named" 0 "your copy: $WARPBOOK_HOME/kernels/streams/3-streams.cu"
WARPBOOK_NVCC=none
warpbook run streams/3
expect "and nothing is recorded of it" 3 not-out "recorded on" err "There is no NVIDIA GPU here."
export WARPBOOK_NVCC="$TMPDIR/nvcc"
printf '#!/bin/sh\necho "program.cu(3): error: no such thing" >&2\nexit 2\n' >"$WARPBOOK_NVCC"
warpbook run streams/3
expect "without a GPU it is compiled all the same" 1 not-out "recorded on" err "nvcc ended with status 2:" \
    "program.cu(3): error: no such thing"
warpbook run "$mine"
expect "and so is a file" 1 err "program.cu(3): error: no such thing"
printf '#!/bin/sh\n: >program.so\n' >"$TMPDIR/nvcc"
warpbook run streams/3
expect "one that compiles is not said to be right" 3 not-out "right" err \
    "It compiles. There is no NVIDIA GPU here to run it and check what it computes."
stand_in
printf '#!/bin/sh\ngrep -q "chunks = 8" program.cu && echo "its own text" >&2\nexit 2\n' >"$WARPBOOK_NVCC"
warpbook run streams/3
expect "it is what runs" 1 err "its own text"
rm -r "$WARPBOOK_HOME/kernels/streams"

# ---- exported ----------------------------------------------------------------------------------------------------

warpbook export streams/3 --to "$HOME/whole.cu"
expect "a step is exported with what it includes" 0 silent "Written to $HOME/whole.cu."
test_that "whole" sh -c '! grep -q "streams.h\|^//@" "$1" && grep -q "namespace timeline" "$1" && grep -q "^int main()" "$1"' sh "$HOME/whole.cu"
if command -v nvcc >/dev/null; then
    test_that "so that nvcc takes it" nvcc -arch=sm_80 -Xcompiler -Wall -Werror all-warnings -c -o "$TMPDIR/whole.o" "$HOME/whole.cu"
fi

# ---- wrong use ---------------------------------------------------------------------------------------------------

refuses "The lab streams has no step '9'. 'warpbook list streams' names them." run streams/9
refuses "run takes only --json and --memory with it" run streams --size small
refuses "export takes one step of streams" export streams
