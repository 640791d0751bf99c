#!/bin/sh
# What the scripts in tests/cli share: run the program, look at what it said, print a line for each test.
# Sourced from the repository's root: . tests/expect.sh

out=$TMPDIR/out err=$TMPDIR/err status=

warpbook() { # warpbook ARGUMENT...: what it says lies in $out and $err, how it ended in $status
    "$WARPBOOK" "$@" >"$out" 2>"$err" </dev/null
    status=$?
}

# Long lines are wrapped, so words are looked for with every line end as one blank.
flat() { # flat FILE
    tr '\n' ' ' <"$1" | tr -s ' '
}

has() { # has FILE TEXT
    case $(flat "$1") in *"$2"*) ;; *) false ;; esac
}

# Bytes that could steer a terminal or hide: C0 and DEL, C1 in UTF-8, and C1 as bytes alone, which are no UTF-8; marks
# of direction and what has no width.
c1_=$(printf '\302[\200-\237]')
hidden_=$(printf '\342\200[\213-\217\250-\256]')
raw_controls() { # raw_controls FILE
    LC_ALL=C tr -d '\n\t\040-\176\200-\377' <"$1" | grep -q . || LC_ALL=C grep -q "$c1_" "$1" ||
        LC_ALL=C grep -q "$hidden_" "$1" ||
        ! iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1
}

report() { # report NAME: ok or not, by the status of the command before
    if [ $? = 0 ]; then
        echo "ok $1"
        return
    fi
    echo "not ok $1"
    echo "# ended with status $status"
    sed 's/^/# out: /' "$out" | cat -v | head -n 30
    sed 's/^/# err: /' "$err" | cat -v | head -n 10
}

test_that() { # test_that NAME COMMAND...: the command's status decides
    name_=$1
    shift
    "$@"
    report "$name_"
}

# The last run ended with STATUS, its stdout holds each text after `out`, its stderr each text after `err`, and
# they hold none of those after `not-out` and `not-err`. `silent`: stderr is empty. Neither has raw control bytes.
judge() { # judge STATUS [out|err|not-out|not-err|silent|TEXT]...
    where_=out
    [ "$status" = "$1" ] || return 1
    shift
    for word_; do
        case $word_ in
        out | err | not-out | not-err) where_=$word_ ;;
        silent) [ ! -s "$err" ] || return 1 ;;
        *)
            case $where_ in
            out) has "$out" "$word_" ;;
            err) has "$err" "$word_" ;;
            not-out) ! has "$out" "$word_" ;;
            not-err) ! has "$err" "$word_" ;;
            esac || return 1
            ;;
        esac
    done
    ! raw_controls "$out" && ! raw_controls "$err"
}

expect() { # expect NAME STATUS [out|err|not-out|not-err|silent|TEXT]...
    name_=$1
    shift
    judge "$@"
    report "$name_"
}

refuses() { # refuses TEXT ARGUMENT...: wrong use: status 2, one message with TEXT, nothing else
    text_=$1
    shift
    warpbook "$@"
    judge 2 err "warpbook: " "$text_" && [ ! -s "$out" ] && [ "$(grep -c '^warpbook:' "$err")" = 1 ]
    report "'$(echo "$*" | tr -dc ' -~')' is refused"
}

stand_in() { # stand_in [FAULTS]: from here on there is a GPU, told to be or to fail as tests/fake/cuda.c says
    export WARPBOOK_LIBCUDA="$FAKE_CUDA" WARPBOOK_FAKE_CUDA="${1:-}"
}

no_gpu() {
    export WARPBOOK_LIBCUDA=/nonexistent/libcuda.so.1
    unset WARPBOOK_FAKE_CUDA
}

can_compile() { # whether a file that does not ship can be compiled here
    "$WARPBOOK" show tests/data/good/print.cu --ptx >/dev/null 2>&1
}

programs_run() { # whether whole programs can be compiled and run in the simulator here; else $why_ says why not
    why_="a sanitizer's library must be loaded before the program's own"
    case $BUILD in */asan) return 1 ;; esac
    # shellcheck disable=SC2034 # scripts that skip print it
    why_="nvcc is not installed"
    WARPBOOK_NVCC=$(PATH=$PATH:/usr/local/cuda/bin && command -v nvcc) || return 1
    export WARPBOOK_NVCC
}

worker_is() { # worker_is COMMAND: runs go through this line of shell
    export WARPBOOK_WORKER="$1"
}

own_copy() { # own_copy LAB/FILE: stdin becomes the learner's copy of a kernel
    mkdir -p "$WARPBOOK_HOME/kernels/${1%/*}"
    cat >"$WARPBOOK_HOME/kernels/$1"
}

steps_of() { # steps_of LAB CPU|GPU: the names on a ladder, in the order that list gives
    "$WARPBOOK" list "$1" | sed -n "/^On the $2/,/^\$/s/^  \([a-z0-9][a-z0-9-]*\)  .*/\1/p"
}

field() { # field KEY: its value in each record of the last run, without quotes
    sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" "$out"
}

export labs="vecadd divergence coalescing banks transpose reduction histogram matvec"

# Can script(1) make terminals here?
terminals_here() {
    command -v script >/dev/null && script -qec "stty cols 40" /dev/null </dev/null >/dev/null 2>&1
}

# The same on a terminal of so many columns, whose bytes go to $out; $term and $colourless are its TERM and NO_COLOR.
on_terminal() { # on_terminal COLUMNS ARGUMENTS
    command="stty cols $1 rows 24; $WARPBOOK $2"
    TERM=${term-xterm} NO_COLOR=${colourless-} script -qec "$command" /dev/null </dev/null 2>"$err" |
        tr -d '\r' >"$out"
    status=$?
}

words() { # what a terminal got, without colours
    sed "s/$(printf '\033')\\[[0-9;]*[mK]//g" "$out" >"$TMPDIR/words" && mv "$TMPDIR/words" "$out"
}

# Whether what a terminal got fits it.
fits() { # fits COLUMNS
    words && ! grep -E ".{$(($1 + 1))}" "$out"
}
