#!/bin/sh
# What there is: the overview, help, and list.
set -u
. tests/expect.sh

all_labs_in_order() {
    names=$(sed -n 's/^ *\([a-z]*\)  .*/\1/p' "$out" | tr '\n' ' ')
    case $names in *"$labs "*) ;; *) false ;; esac
}

narrow() { # narrow CELLS: no line is wider, and none ends in a blank
    ! grep -E ".{$(($1 + 1))}| \$" "$out"
}

warpbook
expect "without a terminal warpbook prints an overview" 0 silent out "Labs" "Commands" "Start with"
test_that "the overview names the labs in the order of the ladders" all_labs_in_order
test_that "the overview fits 80 columns" narrow 80

warpbook list
expect "list says what each lab is about" 0 silent "Vector addition" "Histogram of bytes"
test_that "list names the labs in the same order" all_labs_in_order

for lab in $labs; do
    warpbook list "$lab"
    expect "list $lab shows sizes and both ladders" 0 silent "Sizes" "small" "full" "On the CPU" "On the GPU"
    test_that "list $lab fits 80 columns" sh -c "! grep -E '.{81}' '$out'"
done

steps_are_numbered() {
    ladder=$(steps_of "$1" GPU)
    [ "$(echo "$ladder" | cut -d- -f1 | tr '\n' ' ')" = "$(seq "$(echo "$ladder" | grep -c .)" | tr '\n' ' ')" ]
}
for lab in $labs; do
    test_that "the steps of $lab count from 1" steps_are_numbered "$lab"
done
warpbook list banks
expect "a lab without a CPU ladder says why" 0 "A CPU has no banked shared memory"
warpbook list histogram
expect "a lab lists its data" 0 "Data: uniform, constant, skewed"

for command in list show run doctor help worker; do
    warpbook help $command
    expect "help $command gives its use" 0 silent "warpbook $command"
    cp "$out" "$TMPDIR/help"
    warpbook $command --help
    test_that "$command --help says the same" cmp -s "$out" "$TMPDIR/help"
done
warpbook run vecadd --size small -h
expect "-h helps wherever it is" 0 silent "warpbook run [LAB" "--size"
warpbook help
expect "help tells what the exit status means" 0 silent "Exit status: 0 all right, 1 a result was wrong"
test_that "help fits 80 columns" narrow 80
warpbook --help
expect "--help alone is help" 0 silent "Exit status"
warpbook help run
for flag in --on --size --set --data --reps --limit --json; do
    test_that "help run knows $flag" has "$out" " $flag "
done

warpbook list
narrow() { awk 'length($0) > 80 { exit 1 }' "$out"; }
test_that "the labs fit into 80 columns" narrow

escape=$(printf '\033')
sed "s/One block/Mine ${escape}[31mnow/; s/^\/\/@ why .*/\/\/@ why ${escape}]0;title because/" \
    kernels/vecadd/2-one-block.cu | own_copy vecadd/2-one-block.cu
warpbook list vecadd
expect "the learner's own copy is shown in its place, and where it lies" 0 "2-one-block Mine" "your copy:" \
    "$WARPBOOK_HOME/kernels/vecadd/2-one-block.cu" "3-thread-per-element"
