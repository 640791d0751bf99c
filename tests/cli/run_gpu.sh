#!/bin/sh
# run on a GPU: the stand-in for libcuda, which runs kernels in the simulator, invents their times, and fails when
# told to.
set -u
. tests/expect.sh
stand_in

small="--size small --reps 1"
gpu="$small --on gpu"

warpbook show vecadd/1 --ptx
if [ "$status" != 0 ]; then
    echo "skip gpu nothing here compiles the kernels"
    exit 0
fi
compiles=false
can_compile && compiles=true

rows() { # rows WORD: how many rows of the table end so
    grep -c "^  [^ ].* $1\$" "$out"
}

# ---- right, wrong, skipped

warpbook run vecadd --size small
expect "CPU and GPU are side by side" 0 silent "CPU" "Plain loop" "GPU Stand-in GPU, max" "5 16-byte loads" \
    "The fastest kernel takes 0.250 ms" "for the copies to the GPU and back"
test_that "all of them right" [ "$(rows right)" = 7 ]
test_that "the table fits 80 columns" sh -c "! grep -E '.{81}' '$out'"
warpbook run vecadd $gpu --json
test_that "one record for each step, in order" \
    [ "$(field variant | tr '\n' ' ')" = "$(steps_of vecadd GPU | tr '\n' ' ')" ]
for key in code driver compiler target h2d_ms h2d_bytes d2h_ms d2h_bytes ceiling_gbps ceiling_pct registers \
    shared_bytes kernel launches grid_blocks block_threads blocks_per_sm occupancy_pct compile_ms; do
    test_that "a record has $key" sh -c "! grep -qv '\"$key\":' '$out'"
done
WARPBOOK_FAKE_CUDA=threads=1
export WARPBOOK_FAKE_CUDA
warpbook run histogram/spread-merge $gpu --json
expect "of several launches a record describes the longest" 0 '"kernel":"histogram_spread","launches":3,"grid_blocks":256,'
warpbook run attention/scores $gpu --json
expect "which may be the first, of matrices" 0 '"kernel":"makeScores","launches":3,"grid_blocks":128,"block_threads":256,'
unset WARPBOOK_FAKE_CUDA
warpbook run vecadd/grid-stride $small
expect "one kernel runs alone" 0 silent "4 Grid stride" "right" not-out "16-byte" "CPU"

warpbook run matmul $small
expect "a ladder of arithmetic is measured in FLOP/s, on both" 0 silent "GF/s" "GPU Stand-in GPU, max 1536 GFLOP/s" \
    "10 8 x 16 for each thread" "OpenMP, tiles in registers"
test_that "its table fits 80 columns" sh -c "! grep -E '.{81}' '$out'"
warpbook run matmul --size full --on cpu --reps 1 --json --set n=520
test_that "loops that take minutes are skipped" [ "$(grep -c 'needs n <= 512' "$out")" = 1 ]

right_on_gpu() { # right_on_gpu LAB FLAG...: every step of its ladder
    name_="$*"
    warpbook run "$@" $gpu
    expect "$name_ runs on the GPU" 0 silent not-out "wrong" "failed" "skipped"
    test_that "and each step is right" [ "$(rows right)" = "$(steps_of "$1" GPU | grep -c .)" ]
}
for lab in $labs; do
    right_on_gpu "$lab"
done
right_on_gpu histogram --data constant
right_on_gpu histogram --data skewed --set n=1001
right_on_gpu reduction --set n=1023
right_on_gpu vecadd --set n=1
right_on_gpu matvec --set L=96 --set M=5 --set N=7
warpbook run matvec $gpu --set L=3 --set M=5 --set N=7
expect "warps that are not whole are none for three of its steps" 0 "needs L % 32 == 0" not-out "wrong" "failed"
test_that "and the others are right" [ "$(rows right)" = 5 ]
warpbook run transpose $gpu --set rows=30 --set cols=7
expect "steps whose needs do not hold are skipped, and the others run" 0 "6 16-byte" "skipped" "needs rows % 4 == 0"
test_that "and are right at a size that no tile divides" [ "$(rows right)" = 8 ]
warpbook run transpose/6 $gpu --set rows=30
expect "asked for alone, that is wrong use" 2 "skipped" "needs rows % 4 == 0"

# ---- the learner's own kernels

if $compiles; then
    sed 's/vecadd_one_block<<<1, 1024>>>(a, b, c, n)/vecadd_one_block<<<1, 1024>>>(a, b, c, n - 6)/
         s/One block/Almost all/' kernels/vecadd/2-one-block.cu | own_copy vecadd/2-one-block.cu
    warpbook run vecadd $gpu
    expect "the learner's own copy runs in place of what ships, and alone is wrong" 1 "2 Almost all" \
        "6 of 65536 wrong, first c[65530]:" "never written" "(block 0, thread 1018)"
    test_that "the other steps are right" [ "$(rows right)" = 4 ]

    mistake() { # mistake LAB/FILE SED TEXT...: the learner's copy with this edit runs, and its answer is wrong
        file=$1
        sed "$2" "kernels/$file.cu" | own_copy "$file.cu"
        cmp -s "kernels/$file.cu" "$WARPBOOK_HOME/kernels/$file.cu" && echo "not ok $file is not edited"
        shift 2
        warpbook run "${file%%-*}" $gpu
        expect "$file with a mistake is wrong" 1 silent " wrong, first " "$@" not-out " right" "failed"
    }
    mistake divergence/1-odd-even-if 's/22695477u/22695479u/' "32768 of 65536 wrong, first out[1]:" \
        "should be " "(block 0, thread 1)" not-out "never written"
    mistake histogram/1-global 's/atomicAdd(&bins\[data\[i\]\], 1)/bins[data[i]]++/' "256 of 256 wrong, first bins[0]:"
    mistake transpose/3-tile '/__syncthreads/d' "first out["

    sed 's/1024>>>(a, b, c, n)/1024>>>(a, b, c, n * 2)/' kernels/vecadd/2-one-block.cu |
        own_copy vecadd/2-one-block.cu
    warpbook run vecadd $gpu
    expect "a kernel that leaves its buffers fails alone: a sentence, no times" 1 silent \
        "2 One block failed" "read or wrote memory that belongs to no buffer" "CUDA_ERROR_ILLEGAL_ADDRESS, 700"
    test_that "and the steps after it run" [ "$(rows right)" = 4 ]

    cp tests/data/bad/syntax.cu "$WARPBOOK_HOME/kernels/vecadd/2-one-block.cu"
    sed -i 's/^\/\/@.*//; s/extern/\/\/@ launch syntax<<<1, 1>>>(c)\nextern/; s/int \*x/double *x/' \
        "$WARPBOOK_HOME/kernels/vecadd/2-one-block.cu"
    warpbook run vecadd $gpu
    expect "a copy that does not compile says where" 1 "2 2-one-block failed" "2-one-block.cu:7:" "error:"
    test_that "and the other steps run" [ "$(rows right)" = 4 ]

    escape=$(printf '\033')
    sed "s/One block/Mine ${escape}[31mnow/" kernels/vecadd/2-one-block.cu | own_copy vecadd/2-one-block.cu
    warpbook run vecadd $gpu
    expect "a title brings no control characters along" 0 "2 Mine <U+001B>[31mnow"
    rm -r "$WARPBOOK_HOME/kernels"

    # ---- files that stand alone

    warpbook run tests/data/good/print.cu
    expect "a file that stands alone runs unchecked" 0 silent "print" "unchecked"
    test_that "and what it prints is shown" has "$out" "the kernel printed: lane 31: 70.75, 31 31"
    warpbook run tests/data/good/print.cu --set n=64 --json
    expect "its parameters can be set" 0 silent '"n":64' '"block_threads":64' '"status":"unchecked"'
    warpbook run tests/data/good/print.cu --set n=0
    expect "a size of which nothing can be made is wrong use" 2 err "print.cu:3:13: error:" "0 elements"
    warpbook run tests/data/good/print.cu --set "n=1<<50"
    expect "so is one that nothing can hold" 2 err "Choose a smaller size"
    warpbook run tests/data/good/print.cu --set "n=1<<36"
    expect "one that does not fit in this machine's memory is refused up front" 3 err "of memory, and" "free here"
    warpbook run tests/data/good/print.cu --set m=1
    expect "and one that it does not have" 2 err "print.cu has no parameter 'm'"
    bad() { # bad FILE TEXT...: a kernel that misbehaves is a failed row that says how
        name_=$1
        # shellcheck disable=SC2086
        warpbook run "tests/data/bad/$1.cu" $limit
        shift
        expect "a kernel that is $name_ fails" 1 silent "failed" "$@"
    }
    limit=
    bad too-many-threads "4096; CUDA allows at most 1024"
    bad outside "belongs to no buffer" "CUDA_ERROR_ILLEGAL_ADDRESS, 700"
    bad misaligned "not a multiple of the access's size" "CUDA_ERROR_MISALIGNED_ADDRESS, 716"
    bad trap "the kernel crashed" "CUDA_ERROR_LAUNCH_FAILED, 719"
    limit="--limit 1"
    bad endless "took longer than its limit of 1 s"

    warpbook run tests/data/bad/syntax.cu
    expect "an error of the compiler is a failed row" 1 silent "syntax" "failed"
    test_that "with file, line and column" grep -qE 'bad/syntax\.cu:6:[0-9]+: error: ' "$out"
    caret() { # the line, and below it the caret at its place
        grep -A 1 -F 'x[threadIdx.x] = 1' "$out" | tail -n 1 | grep -qE '^ +\^$'
    }
    test_that "and the line with a caret" caret
    cp tests/data/bad/syntax.cu "$HOME/bad${escape}[31m.cu"
    warpbook run "$HOME/bad${escape}[31m.cu"
    expect "a file's name brings no control characters along" 1 "bad<U+001B>[31m.cu:6:"
    printf '#error "%s[31m boo"\n//@ launch k<<<1, 1>>>()\nextern "C" __global__ void k(void) {}\n' "$escape" \
        >"$HOME/boo.cu"
    warpbook run "$HOME/boo.cu"
    expect "nor does a compiler's message" 1 "boo.cu:1:" "[31m boo"
    warpbook run "$HOME/boo.cu" --json
    test_that "nor a record" sh -c "! LC_ALL=C grep -q '[^ -~]' '$out'"
else
    echo "skip own-kernels nothing here compiles"
fi

# ---- what goes wrong with the driver and the GPU

fails() { # fails FAULTS STATUS TEXT...: one kernel, with a driver that fails so; then one where it does not
    faults=$1
    shift
    stand_in "$faults"
    case $faults in *=hang*) limit="--limit 1" ;; *) limit= ;; esac
    # shellcheck disable=SC2086
    warpbook run vecadd/3 $gpu $limit
    cat "$err" >>"$out" # a kernel that fails has a row, what is missing has a message
    expect "$faults is a sentence" "$@"
    stand_in
    warpbook run vecadd/3 $gpu
    expect "and the next run works" 0 silent "right"
}
fails count=0 3 "it sees no GPU" "nvidia-smi"
fails cuInit=803 3 "of different versions" "must be restarted"
fails cuInit=999 3 "failed:"
fails cuMemAlloc_v2=2 3 "the GPU has too little free memory" "smaller size"
fails cuModuleLoadDataEx=209 3 "compiled for another kind of GPU"
fails cuModuleLoadDataEx=222 3 "the PTX is newer than this driver understands" "newer driver"
fails cuModuleGetFunction=500 1 "nothing of this name"
fails cuMemsetD8Async=719 1 "the kernel crashed" "CUDA_ERROR_LAUNCH_FAILED"
fails cuMemsetD8Async=716 1 "an address that is not a multiple"
fails cuMemsetD8Async=702 1 "ran too long on a GPU that also drives a display"
fails cuMemsetD8Async=214 3 "a memory error that it could not correct"
fails cuMemcpyDtoHAsync_v2=999 3 "Copying from the GPU failed"
fails cuLaunchKernel=700 1 "CUDA_ERROR_ILLEGAL_ADDRESS, 700"
fails cuMemsetD8Async=hang 1 "took longer than its limit of 1 s" "loop that never ends"
fails memory=1 3 "This size needs" "are free on Stand-in GPU" "smaller"
fails target=35 3 "sm_35"

stand_in memory=64
warpbook run vecadd --reps 1 --set "n=1<<22"
expect "a size that does not fit on the GPU still runs on the CPU" 3 out "Plain loop" \
    err "This size needs 96 MiB of the GPU's memory, and"
warpbook run vecadd --reps 1 --set "n=1<<20"
expect "one that fits runs on both" 0 silent "The fastest kernel"
stand_in count=0
warpbook run vecadd $small
expect "a driver without a GPU counts as none" 0 silent "it sees no GPU" "recorded"
stand_in

# ---- the cache

if command -v clang >/dev/null && WARPBOOK_NVRTC=none can_compile; then
    mkdir "$HOME/bin"
    # A compiler may open no file to write to, but what is open stays so.
    printf '#!/bin/sh\necho called >&8\nexec "%s" "$@"\n' "$(command -v clang)" >"$HOME/bin/clang"
    exec 8>"$HOME/called"
    chmod +x "$HOME/bin/clang"
    export WARPBOOK_NVRTC=none WARPBOOK_CLANG="$HOME/bin/clang"
    warpbook run tests/data/good/print.cu
    expect "clang compiles where NVRTC is missing" 0 silent "unchecked"
    test_that "and is called for it" test -s "$HOME/called"
    : >"$HOME/called"
    warpbook run tests/data/good/print.cu --json
    expect "a second run has the same result" 0 silent '"status":"unchecked"' '"compiler":"clang'
    test_that "and compiles nothing" test ! -s "$HOME/called"
    find "$WARPBOOK_CACHE/compile" -type f | while read -r file; do
        echo damaged >"$file"
    done
    warpbook run tests/data/good/print.cu
    expect "a damaged cache does no harm" 0 silent "unchecked"
    test_that "what was in it is compiled again" test -s "$HOME/called"
    unset WARPBOOK_NVRTC WARPBOOK_CLANG
else
    echo "skip cache clang cannot compile here"
fi
if $compiles; then
    cache=$WARPBOOK_CACHE
    export WARPBOOK_CACHE=/proc/nowhere
    warpbook run tests/data/good/print.cu
    expect "a cache that cannot be written does no harm" 0 silent "unchecked"
    export WARPBOOK_CACHE="$cache"
fi

# ---- the worker in between

expect_worker() { # expect_worker COMMAND NAME STATUS TEXT...
    worker_is "$1"
    shift
    warpbook run vecadd $small
    expect "$@"
    unset WARPBOOK_WORKER
}
expect_worker "exec '$WARPBOOK' worker" "any command can carry the lines" 0 silent "5 16-byte loads" "right"
expect_worker "echo 'Welcome to gpubox' >&2; exec '$WARPBOOK' worker" "what a login prints on stderr does no harm" \
    0 silent "5 16-byte loads" "right"
expect_worker "echo Welcome to gpubox; exec '$WARPBOOK' worker" "so does a banner before the greeting" 0 silent "right"
expect_worker "no-such-program worker" "a command that is not there is named, once" 3 err "no-such-program" \
    "status 127" not-err "openmp:" not-out "recorded"
expect_worker "kill -9 \$\$" "a worker that is killed is reported" 3 err "was killed by signal 9"
expect_worker "printf '{\"id\":1,'; exit 4" "so is one that ends in mid-line" 3 err "ended with status 4"
expect_worker "printf 'x\033[31my\n'" "so is nonsense, without its control characters" 3 err "x<U+001B>[31my"
greets="echo '{\"warpbook\":1,\"hello\":{}}'; read -r hello"
expect_worker "$greets; echo Welcome to gpubox" "but among the answers it is named" 3 \
    err "not a line of the protocol: Welcome to gpubox"
expect_worker "$greets; read -r line; printf '{\"id\":1,\"result\":{}}\n'" "so is a record that says nothing" 3 err "record"

# ---- somebody else measures

# waits_for WHAT FILE RUN-ARGUMENTS...: FILE is held by another process while the command runs.
waits_for() {
    what=$1 file=$2 && shift 2
    flock "$file" sh -c "echo x >'$TMPDIR/held'; read -r _ <'$TMPDIR/go'" &
    holder=$!
    read -r _ <"$TMPDIR/held"
    "$WARPBOOK" run "$@" >"$out" 2>"$TMPDIR/said" </dev/null &
    run=$!
    read -r said <"$TMPDIR/said"
    echo go >"$TMPDIR/go"
    wait $holder
    wait $run
    status=$?
    expect "a run that has waited for the $what ends as ever" 0 "right"
    test_that "it says that it waits and for whom, where no terminal is, too" \
        matches "$said" "*: waiting for the $what: 1 before you, held by $(id -un) (pid *)"
}
matches() { # matches TEXT PATTERN
    # shellcheck disable=SC2254 # it is a pattern
    case $1 in $2) ;; *) echo "it said: $1" && return 1 ;; esac
}

if command -v flock >/dev/null && flock "$TMPDIR/go" grep -q "FLOCK" /proc/locks; then
    mkdir "$TMPDIR/locks"
    rm "$TMPDIR/go"
    mkfifo "$TMPDIR/go" "$TMPDIR/said" "$TMPDIR/held"
    export WARPBOOK_LOCKS="$TMPDIR/locks"
    warpbook run vecadd/plain --on cpu --size small # makes the files
    waits_for CPU "$TMPDIR"/locks/warpbook-cpu-*.lock vecadd/plain --on cpu --size small
    if $compiles; then
        warpbook run vecadd/3 $gpu
        waits_for GPU "$TMPDIR"/locks/warpbook-gpu-*.lock vecadd/3 $gpu
    fi
    unset WARPBOOK_LOCKS
fi

# ---- Ctrl-C while a kernel hangs

if $compiles; then
    mkfifo "$TMPDIR/started"
    stand_in cuMemsetD8Async=hang
    worker_is "echo \$\$ >'$TMPDIR/started'; exec '$WARPBOOK' worker"
    "$WARPBOOK" run vecadd $gpu --limit 100 >"$out" 2>"$err" &
    run=$!
    read -r worker <"$TMPDIR/started"
    kill -INT $run
    wait $run
    status=$?
    expect "Ctrl-C ends a run whose kernel hangs" 130
    while kill -0 "$worker" 2>/dev/null; do # a foreign worker is given time to end; the suite's limit ends the test
        :
    done
    test_that "and its worker" true
fi
