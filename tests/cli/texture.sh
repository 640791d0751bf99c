#!/bin/sh
# Textures and surfaces of a kernel file, simulated; and what says that a file cannot have them so.
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

warpbook export "$file"
expect "no program is written of it" 2 not-out "main" \
    err "file.cu:7:13: error: textures and surfaces cannot be exported"

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
