#!/bin/sh
# run --chart: the ladder as bars on a log scale and under its roof, below the table. The GPU is the stand-in.
set -u
. tests/expect.sh

chart() { # the part of the output below the table and its summary: the bars and the axis
    sed -n '/^[0-9a-z-]* *[█▏▎▍▌▋▊▉#]/,/log scale *0\|^ms /p' "$out"
}

steps() { # the names of the bars
    chart | sed -n 's/^\([0-9a-z-]*\) *[█▏▎▍▌▋▊▉#].*/\1/p' | tr '\n' ' '
}

warpbook run vecadd --on cpu --size small
expect "without the flag there is no chart" 0 silent "Plain loop" not-out "ms, log scale"
warpbook run vecadd --on cpu --size small --chart
expect "the CPU's ladder is a chart" 0 silent "Plain loop" "plain" "openmp"
test_that "with a bar for each step" [ "$(steps)" = "plain openmp " ]
test_that "and no roof, for no ceiling of this CPU is known" sh -c "! grep -q 'additions per byte' '$out'"

stand_in
warpbook run vecadd --size small --chart
if [ $status = 3 ]; then
    echo "skip gpu-chart nothing here compiles"
else
    expect "both ladders are one chart" 0 silent "Stand-in GPU" "ms, log scale"
    test_that "with a bar for each step of both" [ "$(steps | wc -w)" = 7 ]
    expect "under it is the roof" 0 "additions/s" "additions per byte" "TB/s"
    # Each bar ends in the time that the table has for its step.
    same_times() {
        for time in $(chart | sed -n 's/^[1-9]-.* \([0-9.]*\) ms$/\1/p'); do
            grep -q "^  [1-9] .* $time ms" "$out" || return 1
        done
    }
    test_that "a bar has the time of the table" same_times
    warpbook run vecadd --size small --chart --on gpu
    expect "the GPU alone" 0 silent "1-one-thread" not-out "openmp"
    LC_ALL=C warpbook run vecadd --size small --chart
    expect "in ASCII" 0 silent "####" "ms, log scale"
    test_that "with nothing else" sh -c "! LC_ALL=C grep -q '[^ -~]' '$out'"
    if terminals_here; then
        on_terminal 40 "run vecadd --size small --chart 2>/dev/null"
        test_that "it fits a narrow terminal" fits 40
        test_that "and is drawn there" grep -q "1-one-thread" "$out"
    fi
    refuses "--chart draws and --json is for programs" run vecadd --size small --chart --json
    stand_in cuLaunchKernel=719
    warpbook run vecadd --size small --chart --on gpu
    expect "steps that fail have no bar" 1 not-out "additions per byte" "1-one-thread  #"
fi
