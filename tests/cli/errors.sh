#!/bin/sh
# Wrong use: exit status 2, one message that names what was wrong and, where one is near, what was meant.
set -u
. tests/expect.sh

refuses "no command 'frobnicate'. 'warpbook help' lists them." frobnicate
refuses "no command 'runn'. Did you mean run?" runn vecadd
refuses "no command 'lst'. Did you mean list?" help lst
refuses "no command '--dim'" --dim
refuses "'bench' is a page of the screen: 'warpbook open bench' shows it." bench histogram
refuses "'histogram' is a lab: 'warpbook run histogram' runs its ladder" histogram
refuses "'list' has no flag --ascii" --ascii list
refuses "The full screen needs a terminal" --light open bench histogram
refuses "'5' is one word too many: bench [LAB[/STEP]]" open bench histogram 5
refuses "'foo' is one word too many: machine" open machine foo
refuses "The full screen needs a terminal" --light # a flag of the screen opens it

refuses "no lab 'histgram'. Did you mean histogram?" run histgram
refuses "no lab 'vectadd'. Did you mean vecadd?" list vectadd
refuses "no lab 'reductoin'. Did you mean reduction?" show reductoin/1
refuses "no lab 'quicksort'. 'warpbook list' names them." run quicksort
refuses "no lab ''" run ""
refuses "histogram has no step 'shard'. Did you mean histogram/shared?" run histogram/shard
refuses "vecadd has no step 'plian'. Did you mean vecadd/plain?" run vecadd/plian
refuses "vecadd has no step '9'. 'warpbook list vecadd' names them." run vecadd/9
refuses "vecadd has no step ''" show vecadd/

refuses "'run' needs one more word: warpbook run LAB" run
refuses "'show' needs one more word: warpbook show LAB" show --ptx
refuses "'divergence' is one word too many" run vecadd divergence
refuses "'doctor' takes no 'vecadd'" doctor vecadd

refuses "'run' has no flag --siz. Did you mean --size?" run vecadd --siz small
refuses "'run' has no flag --siz. Did you mean --size?" run vecadd --siz=small
refuses "'run' has no flag --frobnicate. 'warpbook help run' lists them." run vecadd --frobnicate
refuses "'list' has no flag --json" list --json
refuses "no lab '--size'" run -- --size
refuses "--size needs a value: --size NAME." run vecadd --size
refuses "--json takes no value" run vecadd --json=yes

refuses "--on takes gpu, cpu, sim, all, or machines and GPUs with commas between them, not 'tpu'" run vecadd --on tpu
refuses "vecadd has no size 'tiny'; it has small, full." run vecadd --size tiny
refuses "histogram has no data 'random'; it has uniform, constant, skewed." run histogram --data random
refuses "vecadd has no parameter 'm'; it has n." run vecadd --set m=4
refuses "--set takes NAME=VALUE, such as n=1000000, not 'n'" run vecadd --set n
refuses "--set takes NAME=VALUE" run vecadd --set n=
refuses "--set takes NAME=VALUE" run vecadd --set =4
refuses "nothing is called abc here" run vecadd --set n=abc
refuses "n must be from 1 to" run vecadd --set n=0
refuses "not -5" run vecadd --set n=-5
refuses "n must be from 1 to" run vecadd --set "n=1 << 62"
refuses "--set n=1/0: the value is not a number" run vecadd --set n=1/0
refuses "--reps takes a whole number from 1 to 100, not '0'" run vecadd --reps 0
refuses "not '101'" run vecadd --reps 101
refuses "not '5x'" run vecadd --reps 5x
refuses "not '99999999999999999999'" run vecadd --reps 99999999999999999999
refuses "--limit takes a whole number from 1 to 3600, not '-1'" run vecadd --limit -1

refuses "1-one-thread is a kernel; it runs with --on gpu" run vecadd/1 --on cpu
refuses "plain is a CPU implementation; it runs with --on cpu" run vecadd/plain --on gpu
refuses "A CPU has no banked shared memory" run banks --on cpu
refuses "plain is a CPU implementation; its source is reference/vecadd.c" show vecadd/plain
refuses "1-one-thread has no step before it" show vecadd/1 --diff
refuses "print has no step before it" show tests/data/good/print.cu --diff
refuses "--target takes a GPU such as sm_75 or sm_90, not 'sm_x'" show vecadd/1 --target sm_x

refuses "--size belongs to labs" run tests/data/good/print.cu --size small
refuses "--data belongs to labs" run tests/data/good/print.cu --data uniform
refuses "print is a kernel" run tests/data/good/print.cu --on cpu
refuses "Cannot open $HOME/nothing.cu: No such file or directory" run "$HOME/nothing.cu"
refuses "Is a directory" run "$HOME/"
refuses "Is a directory" show ./

: >"$HOME/empty.cu"
refuses "empty.cu:1:1: error:" run "$HOME/empty.cu"
printf 'no kernel here\n' >"$HOME/prose.cu"
refuses "write //@ launch" show "$HOME/prose.cu"
cat >"$HOME/directive.cu" <<'EOF'
//@ buffer x int[32] = i
//@ launch k<<<1, 32>>(x)
extern "C" __global__ void k(int *x) { *x = 1; }
EOF
refuses "directive.cu:2:21: error: expected" run "$HOME/directive.cu"
caret_points() { # caret_points LINE COLUMN: the last message shows this line, with its caret there
    grep -qxF "  $1" "$err" && [ "$(grep -n -E '^ *\^$' "$err" | tail -n 1 | sed 's/.*://' | wc -c)" = $(($2 + 3)) ]
}
test_that "a directive's error shows the line and points at the place" \
    caret_points '//@ launch k<<<1, 32>>(x)' 21

escape=$(printf '\033[31m')
refuses "no command 'x<U+001B>[31m'" "x$escape"
refuses "no lab 'x<U+001B>[31m'" run "x$escape"
refuses "has no step 'x<U+001B>[31m'" show "vecadd/x$escape"
refuses "Cannot open x<U+001B>[31m.cu" run "x$escape.cu"
refuses "has no flag --x<U+001B>[31m" run vecadd "--x$escape"
refuses "has no size 'x<U+001B>[31m'" run vecadd --size "x$escape"
cat >"$HOME/escape.cu" <<EOF
//@ buffer x int[32] = i
//@ launch k<<<1, 32>>>(${escape}x)
extern "C" __global__ void k(int *x) { *x = 1; }
EOF
refuses "escape.cu:2:25: error:" run "$HOME/escape.cu"

"$WARPBOOK" list >/dev/full 2>"$err"
status=$?
: >"$out"
expect "output that cannot be written is an error" 3 err "could not be written in full"
"$WARPBOOK" run vecadd --size small --on cpu --reps 1 >/dev/full 2>"$err"
status=$?
expect "also of a run" 3 err "could not be written in full"
{ "$WARPBOOK" list vecadd; echo $? >"$TMPDIR/status"; } 2>"$err" | head -n 1 >"$out"
status=$(cat "$TMPDIR/status")
test_that "a reader that has had enough is no error to speak of" test ! -s "$err"
