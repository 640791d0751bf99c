#!/bin/sh
# Tasks that are whole programs: what nvcc makes of them runs in the simulator, confined, and its own check is tried.
set -u
. tests/expect.sh
export WARPBOOK_DATA="$ROOT"
lesson=$TMPDIR/13-host
shipped=lessons/12-your-own

task() { # task LINE...: a lesson whose task has these lines besides
    rm -rf "$lesson"
    mkdir -p "$lesson"
    for file_ in host.cu host-solution.cu $(printf '%s\n' "$@" | sed -n 's/^wrong: \(.*\.cu\) .*/\1/p'); do
        [ ! -e "$shipped/$file_" ] || cp "$shipped/$file_" "$lesson"
    done
    {
        printf -- '---\ntitle: Host\nafter: write main\n---\n\n# Host\n\nWords.\n\n## Task\n\nWords.\n\n'
        printf '```exercise id=host\nask: Write it.\nfile: host.cu\nkeep: axpy\nprogram: 1000\n'
        printf 'hint: one\nhint: two\nhint: three\nsolution: host-solution.cu\n'
        printf '%s\n' "$@" '```'
    } >"$lesson/lesson.md"
}

task "wrong: host-wrong-some.cu result" "check: --set n=1"
warpbook check --fast "$lesson"
expect "what belongs to kernel files is refused" 1 "a whole program ('program') has no 'check'"
task "wrong: host-wrong-some.cu result" "wrong: host-wrong-grid.cu result"
warpbook check --fast "$lesson"
expect "its text alone can be looked at" 0 silent "No errors; no kernel was run."
WARPBOOK_NVCC=none warpbook check "$lesson"
expect "where there is no nvcc, that is said" 3 "Not run" "This task is a whole program. There is no nvcc"

if ! programs_run; then
    echo "skip judged programs $why_"
    exit 0
fi

spoil() { # spoil NAME SED: a wrong answer of the solution
    sed "$2" "$shipped/host-solution.cu" >"$lesson/host-$1.cu"
}
task "wrong: host-untimed.cu budget" "wrong: host-kernel.cu changed" "wrong: host-reads.cu result" \
    "wrong: host-writes.cu result" "wrong: host-starts.cu result"
spoil untimed '/cudaEventElapsedTime/d'
spoil kernel 's/a \* x\[i\] + y/y[i] + a * x/'
# The same program is right where its file, its folder and other programs are within reach.
spoil reads "s|wrong = 0;|wrong = fopen(\"$ROOT/README.md\", \"r\") == NULL;|"
spoil writes "s|wrong = 0;|wrong = fopen(\"$TMPDIR/written\", \"w\") == NULL;|"
spoil starts 's|wrong = 0;|wrong = system("true") != 0;|'
warpbook check "$lesson"
expect "each wrong answer is refused for its reason, also what reaches for files and programs" 0 silent "sound" "No errors"
test_that "nothing was written" test ! -e "$TMPDIR/written"
task "wrong: host-right.cu result" "wrong: host-typo.cu result"
cp "$shipped/host-solution.cu" "$lesson/host-right.cu"
spoil typo 's/cudaMalloc/cudaMaloc/'
warpbook check "$lesson"
expect "what is accepted or does not compile is said" 1 "this wrong answer is accepted" \
    "rejected for another reason than 'result': it does not compile" \
    'host-typo.cu(33): error: identifier "cudaMaloc"'
