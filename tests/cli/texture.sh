#!/bin/sh
# Textures and surfaces of a kernel file: simulated, on a stand-in for a GPU and exported; and what says that a file cannot have
# them so.
set -u
. "$ROOT/tests/expect.sh"

file=$ROOT/tests/data/textures/file.cu
for compiler in any clang; do
    [ $compiler = any ] || export WARPBOOK_NVRTC=none
    can_compile || continue
    warpbook sim "$file"
    expect "textures fetch what their lines say, and a surface writes its buffer ($compiler)" 0 silent \
        out "thread 9 of block 0: 9 13.5 0 8 0.2 90 90" "No findings."
    warpbook run "$file" --on sim
    expect "run does so in the simulator ($compiler)" 0
done
unset WARPBOOK_NVRTC

# ---- on a GPU, in arrays of its own

shapes=$ROOT/tests/data/textures/shapes.cu
printed() { # printed FILE: what the kernels printed, without who did
    sed -n 's/^ *\(thread [0-9]* of block [0-9]*: \)\{0,1\}\([0-9]*: [-0-9.]* .*[0-9]\)$/\2/p' "$1" | sort
}
stand_in
for compiler in any clang; do
    [ $compiler = any ] || export WARPBOOK_NVRTC=none
    can_compile || continue
    warpbook run "$file" --on gpu --reps 1
    expect "a GPU has them ($compiler)" 0 silent out "9 13.5 0 8 0.2 90 90"
done
unset WARPBOOK_NVRTC
warpbook sim "$shapes"
if [ "$status" = 0 ]; then
    printed "$out" >"$TMPDIR/simulated"
    warpbook run "$shapes" --on gpu --reps 3
    printed "$out" >"$TMPDIR/on-gpu"
    test_that "of every shape, filled before each launch and read back after it" \
        sh -c "[ \$(wc -l <'$TMPDIR/simulated') = 50 ] && cmp '$TMPDIR/simulated' '$TMPDIR/on-gpu'"
fi
if can_compile; then
    sed 's/unit, back, drawn/unit, canvas, drawn/' "$file" >"$TMPDIR/changed.cu"
    warpbook run "$TMPDIR/changed.cu" --on gpu
    expect "a launch reaches a surface in one way" 2 \
        err "changed.cu:13:13: error: fetch takes this surface and drawn, and on a GPU they are two memories"
    stand_in cuArray3DCreate_v2=2
    warpbook run "$file" --on gpu
    expect "an array without room is told" 3 err "Allocating an array for a texture or surface failed"
fi
no_gpu

# ---- exported

warpbook export "$shapes" --to "$TMPDIR/shapes.cu"
expect "a program makes and frees them" 0
if [ -s "$TMPDIR/simulated" ] && programs_run; then
    "$WARPBOOK_NVCC" -cudart shared -arch=compute_80 -Xcompiler -Wall -Werror all-warnings -o "$TMPDIR/shapes" \
        "$TMPDIR/shapes.cu" >"$out" 2>&1
    status=$?
    expect "nvcc takes it without a warning" 0
    warpbook exec "$TMPDIR/shapes"
    printed "$out" | sort -u >"$TMPDIR/exported"
    test_that "and it prints what the file does" cmp "$TMPDIR/simulated" "$TMPDIR/exported"
fi

# One line is another, and wrong only with the sizes that it has.
wrong() { # wrong NAME LINE SENTENCE
    sed "s|^//@ texture mean .*|//@ texture mean = $2|" "$file" >"$TMPDIR/changed.cu"
    warpbook sim "$TMPDIR/changed.cu"
    expect "$1" 2 err "changed.cu:8:$3"
}
if can_compile; then
    wrong "more texels than the buffer has" "x width=n height=n+1" \
        "13: error: mean takes 288 bytes, and the buffer x has 256"
    wrong "no texels" "x width=n height=n-8" \
        "13: error: the height of mean should be a whole number from 1 to 65536, and is 0"
    wrong "a pitch that no memory has" "x width=n height=2 pitch=40" \
        "13: error: the pitch of mean is in bytes, a multiple of 32"
    wrong "whole numbers between texels" "drawn width=n filter=linear" "13: error: filter=linear needs floats"
    wrong "a range of floats" "x width=n read=normalized" "13: error: read=normalized is for whole numbers"
fi
