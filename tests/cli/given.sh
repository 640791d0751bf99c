#!/bin/sh
# Structures in buffers and as arguments, and the content of __constant__ and __device__ variables: simulated, on a stand-in
# for a GPU, exported, and what a step shows of them.
set -u
. "$ROOT/tests/expect.sh"

file=$ROOT/tests/data/given/particles.cu
for compiler in any clang; do
    [ $compiler = any ] || export WARPBOOK_NVRTC=none
    can_compile || continue
    warpbook sim "$file"
    expect "a kernel finds what the lines say ($compiler)" 0 silent \
        out "9 0.5 6 1 | 0 2 0 | 9 3 | 0.5 4096 | 2 0 | 2.5 | 4 14" "No findings."
    warpbook sim "$file" --set n=512
    expect "for each size ($compiler)" 0 silent out " 0.5 512 | " "No findings."
done
unset WARPBOOK_NVRTC
if can_compile; then
    warpbook run "$file" --on sim
    expect "run does so in the simulator" 0 out "unchecked"
    sed 's/float count\[3\]/float count[4]/' "$file" >"$TMPDIR/size.cu"
    warpbook sim "$TMPDIR/size.cu"
    expect "a variable has another size" 2 \
        err "size.cu:6:13: error: count has 16 bytes in the code, and 12 on this line"
    sed 's/symbol  count/symbol  counts/' "$file" >"$TMPDIR/name.cu"
    warpbook sim "$TMPDIR/name.cu"
    expect "a variable is not there" 2 \
        err "name.cu:6:13: error: no kernel here uses a __constant__ or __device__ variable counts"
    sed 's/int id;/int id __attribute__((aligned(64)));/' "$file" >"$TMPDIR/layout.cu"
    warpbook sim "$TMPDIR/layout.cu"
    expect "a structure lies otherwise than is known" 1 out "particle is laid out in another way than its members say"
    sed 's/>>>(p, how)/>>>(p, limits)/' "$file" >"$TMPDIR/argument.cu"
    warpbook sim "$TMPDIR/argument.cu"
    expect "an argument is no structure" 2 err "error: nothing is called limits here"
    sed 's/(particle \*p, params how)/(particle *p, box how)/; s/how\.\(scale\|n\)/1/g; s/how\.result/((float *)p)/g' \
        "$file" >"$TMPDIR/other.cu"
    warpbook sim "$TMPDIR/other.cu"
    expect "an argument is another structure" 2 \
        err "error: how has 16 bytes, but parameter 2 of push takes 24"

    # Bytes between members need no value.
    warpbook sim "$ROOT/tests/data/given/padding.cu"
    expect "a gap between members is not missing, a member is" 1 \
        out "No thread writes every part of some[0] and others: of 64 of its 64 elements a" not-out "of whole"
fi

# ---- in a lab's file, whose sizes and buffers are the lab's

own_copy vecadd/4-grid-stride.cu <<'EOF'
//@ symbol bias double[2] = {1, n * 0}
//@ value  how terms = {.n = n, .a = a}
//@ launch add<<<(n + 255) / 256, 256>>>(b, c, how)
struct terms {
    long n;
    const double *a;
};
__constant__ double bias[2];
__global__ void add(const double *b, double *c, terms how)
{
    long i = blockIdx.x * 256l + threadIdx.x;
    if (i < how.n)
        c[i] = how.a[i] + b[i] + bias[1];
}
EOF
if can_compile; then
    warpbook sim vecadd/4 --size small
    expect "a lab's kernel may have them" 0 out "right" "No findings."
    stand_in
    warpbook run vecadd/4 --size small --on gpu --reps 1
    expect "on a GPU as well" 0 out " right"
    no_gpu
fi

# ---- on a GPU

stand_in
if can_compile; then
    warpbook run "$file" --on gpu --reps 3
    expect "a GPU gets them, before each repeat anew" 0 silent \
        out "9 0.5 6 1 | 0 2 0 | 9 3 | 0.5 4096 | 2 0 | 2.5 | 4 14"
    warpbook run "$TMPDIR/size.cu" --on gpu
    expect "or says why not" 2 err "size.cu:6:13: error: count has 16 bytes in the code, and 12 on this line"
fi
no_gpu

# ---- exported

warpbook export "$file" --to "$TMPDIR/particles.cu"
expect "a program gives them, too" 0
if programs_run; then
    "$WARPBOOK_NVCC" -std=c++17 -cudart shared -arch=compute_80 -Xcompiler -Wall -Werror all-warnings \
        -o "$TMPDIR/particles" "$TMPDIR/particles.cu" >"$out" 2>&1
    status=$?
    expect "nvcc takes it without a warning" 0
    warpbook exec "$TMPDIR/particles"
    expect "and it computes the same" 0 out "9 0.5 6 1 | 0 2 0 | 9 3 | 0.5 4096 | 2 0 | 2.5 | 4 14"
fi
