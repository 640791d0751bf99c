#!/bin/sh
# What does not fit in memory is refused before any of it is taken, with a sentence that says what takes it.
set -u
. tests/expect.sh
no_gpu
large=$TMPDIR/large.cu
cat >"$large" <<'END'
//@ param n = 1000
//@ buffer x float[n] = i
//@ buffer y float[n]
//@ scratch room float[2 * n]
//@ needs n < 2000000000
//@ launch k<<<1, 32>>>(x, y, room)
extern "C" __global__ void k(const float *x, float *y, float *room) { y[threadIdx.x] = x[threadIdx.x]; }
END

# Anything that is taken of such sizes fails at once under this limit; sanitizers need more than any limit gives.
limited() { # limited KIB ARGUMENT...
    kib_=$1
    shift
    (
        # shellcheck disable=SC3045 # dash and bash have it
        case $BUILD in */asan) ;; *) ulimit -v "$kib_" ;; esac
        exec "$WARPBOOK" "$@"
    ) >"$out" 2>"$err" </dev/null
    status=$?
}

# ---- the data ---------------------------------------------------------------------------------------------------

limited 2000000 sim "$large" --set n=2147483647
expect "needs are asked before any data is made" 2 out "skipped" "needs n < 2000000000" silent
warpbook sim "$large" --set n=10000000 --memory 64M
expect "data, copies and scratch are counted" 3 err "This size needs 190.73 MiB of memory" "are for x" \
    "may take 64 MiB" "--memory"
warpbook sim "$large" --set n=4000000 --memory 60M
expect "scratch alone counts as well" 3 err "This size needs 76.29 MiB"
warpbook sim "$large" --set n=1999999999
expect "nobody takes more than the machine has, or 5 GiB, unasked" 3 err "This size needs 37.25 GiB of memory" "here"
warpbook sim "$large" --memory 64M --check counters
expect "what fits runs" 0 silent
warpbook run "$large" --on sim --set n=10000000 --memory 64M
expect "a row of a ladder has the budget too" 3 err "may take 64 MiB"
printf 'end\nquit\n' | "$WARPBOOK" sim "$large" --step --set n=10000000 --memory 64M >"$out" 2>"$err"
status=$?
expect "a walk has the budget too" 3 err "may take 64 MiB"

# ---- the launch -------------------------------------------------------------------------------------------------

cat >"$TMPDIR/param.ptx" <<'END'
//@ buffer out unsigned[64] = 0
//@ launch k<<<1, 32>>>(out)
.version 7.0
.target sm_70
.address_size 64
.func f(.param .align 8 .b8 x[67108864])
{
 ret;
}
.visible .entry k(.param .u64 a)
{
 .param .align 8 .b8 p[67108864];
 call f, (p);
 ret;
}
END
warpbook sim "$TMPDIR/param.ptx" --memory 256M
expect "so has a kernel with large parameters" 2 err "This launch needs 2.0 GiB of memory" "parameters"

# ---- sizes ------------------------------------------------------------------------------------------------------

test_that "a size that is none is refused" refuses "--memory takes a size" sim "$large" --memory much
test_that "so is one that is too small for anything" refuses "--memory takes a size" sim "$large" --memory 1K

# ---- the program itself -----------------------------------------------------------------------------------------

case $BUILD in
*/asan) ;;
*)
    # The least memory that the libraries can be loaded into and begin in, to 100 KiB. With less, the loader speaks, with
    # status 127, or the OpenMP runtime, which allocates before main. With less than 5.2 MB the kernel cannot even map the
    # program, and kills it.
    kib=7000
    limited $kib lesson
    while [ $kib -lt 20000 ] && { [ "$status" = 127 ] || grep -q '^libgomp: ' "$err"; }; do
        kib=$((kib + 100))
        limited $kib lesson
    done
    expect "without memory it says so" 3 err "There is no memory left" "ulimit -v"
    (
        # shellcheck disable=SC3045
        ulimit -s 64
        exec "$WARPBOOK" sim vecadd/3
    ) >"$out" 2>"$err" </dev/null
    status=$?
    expect "a stack that is too small is refused" 3 err "A stack may have 64 KiB here" "ulimit -s 8192"
    ;;
esac

# ---- what is told of it ---------------------------------------------------------------------------------------

many_lines() { # many_lines COUNT: a kernel of so many lines
    {
        printf '//@ buffer x int[32] = 1\n//@ launch k<<<1, 32>>>(x)\n.version 7.0\n.target sm_70\n.address_size 64\n'
        printf '.file 1 "k.cu"\n.visible .entry k(.param .u64 a)\n{\n.reg .b32 %%r<2>;\nmov.u32 %%r1, 0;\n'
        awk -v count="$1" 'BEGIN { for (i = 1; i <= count; i++) print ".loc 1 " i " 0\nadd.u32 %r1, %r1, 1;" }'
        printf 'ret;\n}\n'
    } >"$TMPDIR/lines.ptx"
}
many_lines 16000
warpbook sim "$TMPDIR/lines.ptx" --json
expect "a record has the counters of every line" 0 silent '"lines":' '"line":16000'
many_lines 17000
warpbook sim "$TMPDIR/lines.ptx" --json
expect "but not of more than anybody could read" 0 silent '"warp_inst":17002' not-out '"lines":'
many_lines 60000
warpbook sim "$TMPDIR/lines.ptx" --memory 16M
expect "a long text is not read beyond the limit" 1 out "takes more memory than there is for it" "allow more memory"
warpbook sim "$TMPDIR/lines.ptx" --memory 256M --check none
expect "with more memory it is read and run" 0 silent "unchecked"
