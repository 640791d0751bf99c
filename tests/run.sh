#!/bin/sh
# Runs the tests of a build folder, each file in an environment of its own, several at a time.
#
#   tests/run.sh BUILD [WORD...]     only files whose name holds a WORD; with a / in it "cli/run" is a name
#
# Those of tests/workshop (tests/bed.sh) are run only when a WORD names that folder. TEST_JOBS is how many run at a time.
# TEST_LEAVE is a list of words: where no WORD is given, files whose name holds one of them are left out, and a line at the
# end names them.
# TEST_RUNNER is a command that test programs are run by, such as qemu. With TEST_REMARKS=1 what a file remarks in lines
# with a #, such as how long something took, is printed after its result.
# A script with the line "# Parts: PATTERN..." runs once for each path that the shell patterns match: the path is its
# first argument, and its name is "cli/lessons:07-banks". A program's parts are named in the same way; in the part
# "baseline", as everywhere with TEST_BASELINE=1, the simulator does without AVX2, whatever the processor has. With
# TEST_BASELINE=avx2 it does without AVX-512.
#
# A file prints one line for each test: "ok NAME", "not ok NAME" or "skip NAME REASON"; cmocka's TAP counts too.
# Tests find the program as $WARPBOOK, the build folder as $BUILD, the repository as $ROOT (where they start), the
# stand-in for libcuda as $FAKE_CUDA, and an empty folder of their own as $HOME. The last line printed is
# "N passed, N failed"; where all files ran, the one before it names those that computed longest.
set -u

# A process that computes for longer than this is stuck in a loop. CPU time, so that a busy machine fails no test;
# sanitizers get three times as much. Files that wait for ever without computing are stopped after $backstop.
limit=${TEST_LIMIT:-120}
backstop=900

# ---- one file: a child of this script, so that xargs can run several ----------------------------------

private_environment() { # private_environment FOLDER FILE
    for name in $(env | sed -n 's/^\(WARPBOOK_[A-Za-z0-9_]*\)=.*/\1/p'); do
        unset "$name"
    done
    unset NO_COLOR COLUMNS LINES LANG LANGUAGE MAKEFLAGS MAKELEVEL MFLAGS
    for name in home config data cache state run tmp own locks kept; do
        mkdir -p "$1/$name"
    done
    chmod 700 "$1/run"
    export HOME="$1/home" TMPDIR="$1/tmp" XDG_CONFIG_HOME="$1/config" XDG_DATA_HOME="$1/data"
    export XDG_CACHE_HOME="$1/cache" XDG_STATE_HOME="$1/state" XDG_RUNTIME_DIR="$1/run"
    export WARPBOOK_HOME="$1/own" WARPBOOK_LOCKS="$1/locks" WARPBOOK_CACHE="$1/kept"
    export LC_ALL=C.UTF-8 TERM=xterm-256color CMOCKA_MESSAGE_OUTPUT=TAP
    export WARPBOOK="$BUILD/warpbook" FAKE_CUDA="$BUILD/test/libfakecuda.so" BUILD ROOT
    case ${TEST_BASELINE:-}$part in
    avx2*) export WARPBOOK_SIM_BASELINE=avx2 ;;
    *1 | baseline) export WARPBOOK_SIM_BASELINE=1 ;;
    esac
    # No test meets a GPU that this machine may have: unit tests get the stand-in, scripts none until they ask.
    case $2 in *.sh) WARPBOOK_LIBCUDA=/nonexistent/libcuda.so.1 ;; *) WARPBOOK_LIBCUDA=$FAKE_CUDA ;; esac
    export WARPBOOK_LIBCUDA WARPBOOK_NVCC=none # nor a CUDA Toolkit
    export WARPBOOK_CUBLAS=none WARPBOOK_CUB=none # nor libraries of it
    export WARPBOOK_SITE=none                  # nor what is set for a site
    export OMP_WAIT_POLICY=passive             # threads that wait do not count as computing
    export ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1:handle_abort=1"
    export LSAN_OPTIONS="suppressions=$ROOT/tests/lsan.supp:print_suppressions=0"
    export UBSAN_OPTIONS=print_stacktrace=1
}

# "PASSED FAILED SKIPPED" from what a file printed and how it ended.
count() { # count LOG STATUS
    awk -v status="$2" '
        /^1\.\.[0-9]+$/                         { planned += substr($0, 4); next }
        /^(not )?ok .*# *SKIP/ || /^skip /      { skipped++; next }
        /^ok /                                  { passed++ }
        /^not ok /                              { failed++ }
        END {
            short = planned > passed + failed + skipped || passed + failed + skipped == 0
            if (!failed && (status != 0 || short)) failed = 1
            print passed + 0, failed + 0, skipped + 0
        }' "$1"
}

# Why a file skipped tests, each reason once: "skip NAME REASON", or a line "skipped: REASON" before cmocka's own.
reasons() { # reasons LOG
    sed -n 's/^skip [^ ]* //p; s/^skipped: //p' "$1" | sort -u | paste -sd, - | sed 's/,/, /g'
}

run_file() { # run_file RESULTS NAME [PART]
    name=$2 part=${3:-}
    case $name in
    cli/* | workshop/*) set -- "$1" "tests/${name%%:*}.sh" ;;
    *) name_=${name%%:*} && set -- "$1" "$BUILD/test/${name_#unit/}" ;;
    esac
    result=$1/$(echo "$name" | tr / -)
    folder=$(mktemp -d "${TMPDIR:-/tmp}/warpbook-test.XXXXXX") || exit 1
    (
        private_environment "$folder" "$2"
        case $2 in *.sh) set -- sh "$2" ${part:+"$part"} ;; *) set -- ${TEST_RUNNER:-} "$2" ;; esac
        # Every shell here knows -S, though POSIX does not. A program may still set a limit of its own.
        # shellcheck disable=SC3045
        ulimit -S -t "$limit"
        timeout -k 5 "$backstop" "$@"
    ) >"$result.log" 2>&1 </dev/null
    status=$?
    rm -rf "$folder"
    case $status in
    124) echo "# stopped: it had not ended after $backstop seconds" ;;
    152) echo "# stopped: it computed for more than $limit seconds" ;; # SIGXCPU
    esac >>"$result.log"
    count "$result.log" "$status" >"$result.count"
    times >"$result.times" # not in a pipe, where this shell's children would not count
    awk -v name="$name" 'NR == 2 { # of the children: "0m1.5s 0m0.2s"
        gsub(/[ms]/, " ")
        printf "%.0f s %s\n", 60 * ($1 + $3) + $2 + $4, name
    }' "$result.times" >"$result.seconds"
    read -r passed failed skipped <"$result.count"
    text="$passed passed"
    [ "$skipped" = 0 ] || text="$text, $skipped skipped ($(reasons "$result.log"))"
    if [ "$failed" = 0 ]; then
        printf '  ok    %-32s %s\n' "$name" "$text"
        [ -z "${TEST_REMARKS:-}" ] || sed -n 's/^# /        /p' "$result.log"
    else
        printf '  FAIL  %-32s %s, %s failed, exit status %s\n' "$name" "$text" "$failed" "$status" |
            tee "$result.failed"
    fi
}

if [ "$1" = --file ]; then
    shift
    run_file "$@"
    exit 0
fi

left_out() { # left_out NAMES: those that hold a word of TEST_LEAVE
    for word in ${TEST_LEAVE:-}; do
        grep -F -e "$word" "$1"
    done | sort -u
}

# ---- all files ----------------------------------------------------------------------------------------

cd "$(dirname "$0")/.." || exit 1
ROOT=$(pwd)
BUILD=$(cd "$1" && pwd) || exit 1
shift
export ROOT BUILD
case $BUILD in */asan) limit=$((limit * 3)) ;; esac
export TEST_LIMIT="$limit"

results=$(mktemp -d "${TMPDIR:-/tmp}/warpbook-results.XXXXXX") || exit 1
trap 'rm -rf "$results"' EXIT
trap 'exit 130' INT TERM

# Only those test programs whose source is still there. Names and parts travel, which have no blanks; folders may.
case " $*" in *" workshop/"*) workshop='tests/workshop/*.sh' ;; *) workshop= ;; esac
# shellcheck disable=SC2086
for file in tests/unit/*.c tests/cli/*.sh $workshop; do
    name=${file#tests/}
    name=${name%.*}
    program=$file
    case $name in unit/*) program=$BUILD/test/${name#unit/} ;; esac
    [ -e "$program" ] || continue
    parts=$(sed -n 's/^[#/]* Parts: //p' "$file")
    for part in ${parts:-/}; do
        full=$name
        [ "$part" = / ] || full=$name:${part##*/}
        for word in "${@:-}"; do
            case $word in */*) called=$full ;; *) called=${full#*/} ;; esac
            case $called in *"$word"*) echo "$full" ${part#/} && break ;; esac
        done
    done
done >"$results/all"
: >"$results/left"
[ $# -gt 0 ] || left_out "$results/all" >"$results/left"
grep -vxFf "$results/left" "$results/all" >"$results/names"
if [ ! -s "$results/names" ]; then
    echo "No file of tests has '$*' in its name." >&2
    exit 1
fi
# A third of the time a file waits, for a screen to settle or a process to end: so half as many more as there are cores.
cores=$(nproc 2>/dev/null || echo 2)
xargs -P "${TEST_JOBS:-$((cores + (cores + 1) / 2))}" -L 1 sh tests/run.sh --file "$results" <"$results/names"

for file in "$results"/*.failed; do
    [ -e "$file" ] || continue
    echo
    echo "---- $(sed 's/^ *FAIL *//' "$file")"
    cat "${file%.failed}.log"
done
echo
[ ! -s "$results/left" ] || echo "Left out: $(cut -d ' ' -f 1 "$results/left" | paste -sd, - | sed 's/,/, /g')."
[ $# -gt 0 ] ||
    echo "Most processor time: $(sort -rn "$results"/*.seconds | head -n 8 | paste -sd, - | sed 's/,/, /g')."
cat "$results"/*.count 2>/dev/null | awk '
    { passed += $1; failed += $2; skipped += $3 }
    END {
        printf "%d passed, %d failed", passed, failed
        if (skipped) printf ", %d skipped", skipped
        print ""
        exit failed > 0 || passed == 0
    }'
