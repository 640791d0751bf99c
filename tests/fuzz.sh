#!/bin/sh
# The fuzz targets of build/fuzz, some at a time: make fuzz, make fuzz-corpus.
#
#   tests/fuzz.sh run SECONDS JOBS TARGET...   each for so long, from the corpus that is kept and what earlier runs added
#   tests/fuzz.sh keep JOBS TARGET...          what earlier runs found that is new, into the corpus that is kept
#
# Prints "ok fuzz/TARGET" or "not ok fuzz/TARGET" with the end of its log, and at last the sum. An input that fails lies
# in build/fuzz/TARGET-*: `build/fuzz/TARGET FILE` runs it alone.
set -u
cd "$(dirname "$0")/.." || exit 1

# Long inputs are slow; these are enough for what each reads.
longest() { # longest TARGET
    case $1 in
    screen | differential) echo 1000 ;;
    sim_run | launch | trace) echo 8192 ;;
    keys | directives | lesson | compiled | protocol_* | workbook | report) echo 8192 ;;
    *) echo 32768 ;;
    esac
}

words_of() { # words_of TARGET: the words of its language, where they are listed
    [ ! -f "tests/fuzz/words/$1" ] || echo "-dict=tests/fuzz/words/$1"
}

run_one() { # run_one SECONDS TARGET
    log=build/fuzz/$2.log
    mkdir -p "build/fuzz/corpus/$2" "tests/fuzz/corpus/$2"
    rm -f "build/fuzz/$2"-*
    start=$(date +%s)
    # shellcheck disable=SC2046
    if "build/fuzz/$2" -max_total_time="$1" -max_len="$(longest "$2")" -timeout=100 -rss_limit_mb=2048 $(words_of "$2") \
        -artifact_prefix="build/fuzz/$2-" "build/fuzz/corpus/$2" "tests/fuzz/corpus/$2" >"$log" 2>&1; then
        echo "ok fuzz/$2 # $(sed -n 's/^#\([0-9]*\).DONE.*/\1/p' "$log") inputs in $(($(date +%s) - start)) s"
    else
        grep -a -v -e 'NEW ' -e 'REDUCE' -e 'pulse' "$log" | tail -60
        echo "not ok fuzz/$2: build/fuzz/$2 $(echo "build/fuzz/$2"-*)"
    fi
}

# Edges decide what is kept, not how often they are passed, so that few and small files do.
keep_one() { # keep_one TARGET
    kept=tests/fuzz/corpus/$1
    mkdir -p "build/fuzz/merged" "build/fuzz/corpus/$1" "$kept"
    rm -rf "build/fuzz/merged/$1"
    mkdir "build/fuzz/merged/$1"
    "build/fuzz/$1" -merge=1 -use_counters=0 -timeout=25 -artifact_prefix="build/fuzz/$1-" -max_len="$(longest "$1")" "build/fuzz/merged/$1" "$kept" \
        "build/fuzz/corpus/$1" >"build/fuzz/$1.log" 2>&1 || exit 1
    rm -rf "$kept"
    mv "build/fuzz/merged/$1" "$kept"
    echo "$kept: $(find "$kept" -type f | wc -l) files, $(cat "$kept"/* | wc -c) bytes"
}

what=$1
shift
if [ -z "${FUZZ_HOMES-}" ]; then # of what the targets write
    FUZZ_HOMES=$(mktemp -d) || exit 1
    trap 'rm -rf "$FUZZ_HOMES"' EXIT
    trap 'exit 1' HUP INT TERM
    export FUZZ_HOMES TMPDIR="$FUZZ_HOMES"
fi
case $what in
one) run_one "$@" ;;
one-kept) keep_one "$@" ;;
run)
    seconds=$1 jobs=$2
    shift 2
    printf '%s\n' "$@" | xargs -P "$jobs" -I TARGET sh "$0" one "$seconds" TARGET | tee build/fuzz/all.log
    passed=$(grep -c '^ok ' build/fuzz/all.log) failed=$(grep -c '^not ok ' build/fuzz/all.log)
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ] && [ "$passed" = $# ]
    ;;
keep)
    jobs=$1
    shift
    printf '%s\n' "$@" | xargs -P "$jobs" -I TARGET sh "$0" one-kept TARGET
    ;;
*) echo "usage: tests/fuzz.sh run SECONDS JOBS TARGET... | keep JOBS TARGET..." >&2 && exit 2 ;;
esac
