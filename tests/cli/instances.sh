#!/bin/sh
# Kernels that share a name, templates, and parameters of every shape: what a launch line means, and what is said where
# it cannot mean anything. Nothing here may end the worker.
set -u
. "$ROOT/tests/expect.sh"

file() { # file NAME: its text comes on stdin
    cat >"$TMPDIR/$1"
}
sim() { # sim NAME: what its kernel wrote, as printed by the kernel, lies in $out
    warpbook sim "$TMPDIR/$1"
}

# ---- PTX: nothing has to compile

ptx_head=".version 7.0
.target sm_70
.address_size 64"
ptx() { # ptx NAME ARGUMENTS PARAMETERS [BEFORE]
    file "$1" <<END
//@ buffer out unsigned long long[64] = 0
//@ launch k<<<1, 1>>>($2)
$ptx_head
$4
.visible .entry k($3)
{
 ret;
}
END
    sim "$1"
}
fake=".entry k( .param .u64 a, .param .u64 b )"

ptx plain.ptx "out, 7" ".param .u64 a, .param .u64 b" ""
expect "a kernel with a buffer and a number runs" 0 "No findings."
ptx comment.ptx "out, 7" ".param .u64 a, .param .align 8 .b8 b[4096]" "/*
$fake
*/"
expect "an entry in a comment is none" 2 err "parameter 2 of k is a structure of 4096 bytes; declare it with"
ptx vector.ptx "out, 7" ".param .u64 a, .param .v4 .b64 b" ""
expect "a vector is larger than a number" 2 err "parameter 2 of k is a structure of 32 bytes"
ptx wide.ptx "out, 7" ".param .u64 a, .param .b128 b" ""
expect "so is a value of 128 bits" 2 err "parameter 2 of k is a structure of 16 bytes"
ptx wide.ptx "out" ".param .u64 a, .param .b128 b" ""
expect "and it counts" 2 err "k takes 2 arguments, and here is 1"
ptx hex.ptx "out, 7" ".param .u64 a, .param .b8 b[0x100]" ""
expect "a size may be hexadecimal" 2 err "parameter 2 of k is a structure of 256 bytes"
ptx huge.ptx "out, 7" ".param .u64 a, .param .b8 b[2000000]" ""
expect "an array may be huge" 2 err "parameter 2 of k is a structure of 2000000 bytes"
ptx none.ptx "" "" ""
expect "a kernel may have no parameters" 0 "simulator"
ptx none.ptx "out" "" ""
expect "and then takes none" 2 err "k takes 0 arguments, and here is 1"
many=$(i=0; while [ $i -lt 70 ]; do printf '%s .param .u64 p%d' "$([ $i = 0 ] || echo ,)" $i; i=$((i + 1)); done)
ptx many.ptx "out, 7" "$many" ""
expect "70 parameters are more than a launch line gives" 2 err "k has 70 parameters; a launch line gives at most 64"
ptx float.ptx "out, out" ".param .u64 a, .param .f64 b" ""
expect "a decimal is no address" 2 err "out is a buffer, but parameter 2 of k is a number"
ptx two.ptx "out, 7" ".param .u64 a, .param .align 8 .b8 b[512]" ".visible .entry _Z1kPyy(.param .u64 a, .param .u64 b)
{
 ret;
}"
expect "of two kernels of one name the one that can take this" 0 "No findings."
ptx twice.ptx "out, 7" ".param .u64 a, .param .u64 b" ".visible .entry _Z1kPyy(.param .u64 a, .param .u64 b)
{
 ret;
}"
expect "or none where both can" 2 err "2 kernels are called k: k(unsigned long long*, unsigned long long), k with 2 parameters" \
    "do not decide which of them is meant"

if ! can_compile; then
    echo "skip instances nothing here compiles the kernels"
    exit 0
fi

# ---- CUDA C

file two.cu <<'END'
//@ buffer f float[2]
//@ buffer n int[2]
//@ launch k<<<1, 1>>>(f)
//@ launch k<<<1, 1>>>(n)
__global__ void k(float *p) { printf("floats\n"); p[0] = p[1] = 1; }
template <typename T> __global__ void k(T *p) { printf("a template\n"); p[0] = p[1] = 2; }
template __global__ void k<int>(int *);
END
sim two.cu
expect "each launch runs the kernel that takes its buffer" 0 "floats" "a template" "No findings."
sed 's/float\[2\]/double[2]/' "$TMPDIR/two.cu" | file neither.cu
sim neither.cu
expect "a buffer that no one takes is told with all of them" 2 err "2 kernels are called k: " "k(float*)" "k<int>(int*)" \
    "These arguments fit none of them" "//@ launch k<<<1, 1>>>(f)"

file made.cu <<'END'
//@ buffer n int[2] = 0
//@ launch ns::k<int, 3><<<1, 1>>>(n)
//@ launch ns::k<int, 4><<<1, 1>>>(n)
namespace ns {
template <typename T, int N = 4> __global__ void k(T *p) { printf("N is %d\n", N); p[0] = N; }
}
END
sim made.cu
expect "an instance that a launch line names is made" 0 "N is 3" "N is 4" "No findings."
sed 's/ns::k<int, .>/k<int>/; 3d' "$TMPDIR/made.cu" | sed '/namespace/d; /^}/d' | file default.cu
sim default.cu
expect "with its defaults" 0 "N is 4"
sed 's/k<int>/k/' "$TMPDIR/default.cu" | file bare.cu
sim bare.cu
expect "a template alone makes no kernel" 2 err "name the instance, as in k<int><<<grid, block>>>"
sed 's/k<int>/k<box>/' "$TMPDIR/default.cu" | file unknown.cu
sim unknown.cu
expect "an instance that cannot be made is an error of the launch line" 1 "unknown.cu:2:" "box"
