#!/bin/sh
# show: the source is the file itself, and everything else about it are C comments.
set -u
. tests/expect.sh

source_first() { # source_first FILE: the output is the file byte for byte, then only // lines
    size=$(wc -c <"$1")
    head -c "$size" "$out" | cmp -s - "$1" && ! tail -c "+$((size + 1))" "$out" | grep -qv '^// '
}

compiles=false
can_compile && compiles=true

# One lab with what its kernels take of a GPU, which needs a compiler; the others without.
for lab in $labs; do
    unset WARPBOOK_NVRTC WARPBOOK_CLANG
    [ "$lab" = histogram ] || export WARPBOOK_NVRTC=none WARPBOOK_CLANG=none
    for file in kernels/"$lab"/*.cu; do
        warpbook show "$lab/$(basename "$file" .cu)"
        test_that "show $lab/$(basename "$file" .cu) prints the file, then only // lines" source_first "$file"
    done
done
unset WARPBOOK_NVRTC WARPBOOK_CLANG
warpbook show histogram/3
cp "$out" "$TMPDIR/by-number"
warpbook show histogram/shared
test_that "a step is found by its number and by its word" cmp -s "$out" "$TMPDIR/by-number"
own_copy vecadd/2-one-block.cu <"$TMPDIR/by-number"
warpbook show vecadd/2
test_that "the learner's own copy is what is shown" source_first "$TMPDIR/by-number"
rm -r "$WARPBOOK_HOME/kernels"

printf '//@ launch k<<<1, 1>>>()\nextern "C" __global__ void k(void)\n{\n}' >"$HOME/endless line.cu"
warpbook show "$HOME/endless line.cu"
test_that "a file whose last line does not end is closed with a line end" \
    [ "$(head -n 4 "$out" | tail -n 1)" = "}" ]

warpbook show vecadd
expect "show LAB prints every step under its name" 0 "// ---- vecadd/1-one-thread: One thread" \
    "// ---- vecadd/5-16-byte-loads"

# ---- against the step before

warpbook show reduction/6 --diff
expect "--diff names both steps" 0 silent "- reduction/5-modulo" "+ reduction/6-interleaved"
sign() { # sign SIGN FILE: all lines with this sign are in the file, in this order
    sed -n "3,\$s/^$1 //p" "$out" >"$TMPDIR/signed"
    [ -s "$TMPDIR/signed" ] && diff "$TMPDIR/signed" "$2" | grep -q '^<' && return 1
    return 0
}
only_old() { ! sed -n '3,$s/^- //p' "$out" | grep -qxF -f kernels/reduction/6-interleaved.cu; }
test_that "what it marks with - was in the step before" sign - kernels/reduction/5-modulo.cu
test_that "what it marks with + is in this step" sign + kernels/reduction/6-interleaved.cu
whole() { # both files can be told from it
    sed -n '3,$s/^[ -] //p' "$out" | cmp -s - kernels/reduction/5-modulo.cu &&
        sed -n '3,$s/^[ +] //p' "$out" | cmp -s - kernels/reduction/6-interleaved.cu
}
test_that "both files can be put together from it" whole
warpbook show vecadd --diff
expect "--diff of a lab goes down the ladder from the second step" 0 "+ vecadd/2-one-block" \
    "+ vecadd/5-16-byte-loads" not-out "+ vecadd/1-one-thread"

# ---- what it compiles to

if $compiles; then
    warpbook show tests/data/good/print.cu --ptx
    expect "--ptx is what the compiler makes" 0 silent ".visible .entry show"
    warpbook show tests/data/bad/syntax.cu
    expect "a file that does not compile is shown with where it fails" 1 out "x[0] = undeclared;" \
        err "tests/data/bad/syntax.cu:"
    warpbook show tests/data/bad/syntax.cu --ptx
    expect "and has no PTX" 1 err "syntax.cu:" not-out "entry"
    printf '#line 7 "\033[31m.cu"\n//@ launch k<<<1, 1>>>()\nextern "C" __global__ void k(void) {}\n' \
        >"$HOME/line.cu"
    warpbook show "$HOME/line.cu" --ptx
    expect "PTX brings no control characters along" 0 ".entry k"
else
    echo "skip ptx nothing here compiles"
fi
export WARPBOOK_NVRTC=none WARPBOOK_CLANG=none
printf '//@ launch k<<<1, 1>>>()\r\n// \033]0;own\a a\b \342\200\256 \342\200\213 b\rc\n__global__ void k() {}\n' \
    >"$HOME/hides.cu"
warpbook show "$HOME/hides.cu"
expect "what a source hides is shown, in a pipe too" 0 \
    "// <U+001B>]0;own<U+0007> a<U+0008> <U+202E> <U+200B> b<U+000D>c" "__global__ void k"
for word in "$(printf 'x\342\200\256y')" "$(printf 'x\363\240\201\201y')"; do
    warpbook show "$word"
    expect "so is what a word hides that is not known" 2 err "x<U+" ">y"
done
warpbook show tests/data/good/print.cu
expect "without a compiler the source is still shown" 0 silent "__global__ void show"
warpbook show tests/data/good/print.cu --ptx
expect "without a compiler --ptx says what to install" 3 err "Nothing here can compile" "Install clang"
warpbook show vecadd/1 --sass
expect "without machine code there is no SASS, and it says why" 3 err "SASS needs machine code"
unset WARPBOOK_NVRTC WARPBOOK_CLANG

fake_disassembler() { # fake_disassembler: its script from stdin
    mkdir -p "$HOME/toolkit/bin"
    { echo '#!/bin/sh'; cat; } >"$HOME/toolkit/bin/nvdisasm"
    chmod +x "$HOME/toolkit/bin/nvdisasm"
    export CUDA_HOME="$HOME/toolkit"
}
warpbook show vecadd/1
if grep -q '^// NVRTC' "$out"; then
    expect "what the kernel takes of an SM follows the source" 0 \
        "// vecadd_one_thread on sm_90: " " registers" "bytes of shared memory"
    warpbook show vecadd/2 --target sm_80
    expect "--target compiles for another GPU" 0 "// vecadd_one_block on sm_80: " "blocks of 1024: 2 on an SM"

    fake_disassembler <<'EOF'
[ "$1" = -c ] && head -c 4 "$2" | grep -q ELF && printf 'MOV R1, \033[31mc[0x0]\n'
EOF
    warpbook show vecadd/1 --sass
    expect "--sass shows what NVIDIA's disassembler says of the machine code" 0 silent "MOV R1, <U+001B>[31mc[0x0]"
    test_that "and leaves no file behind" sh -c '! ls "$TMPDIR"/warpbook-* 2>/dev/null'
    fake_disassembler <<'EOF'
echo "cannot read this" >&2
exit 5
EOF
    warpbook show vecadd/1 --sass
    expect "a disassembler that fails is quoted" 3 err "ended with status 5" "cannot read this"
    unset CUDA_HOME
    here=
    for program in nvdisasm cuobjdump /usr/local/cuda/bin/nvdisasm /usr/local/cuda/bin/cuobjdump; do
        here=$here$(command -v $program)
    done
    if [ -n "$here" ]; then
        echo "skip no-disassembler one is installed here"
    else
        warpbook show vecadd/1 --sass
        expect "without a disassembler it says which" 3 err "SASS needs nvdisasm or cuobjdump"
    fi
else
    echo "skip sass no NVRTC here"
fi
