#!/bin/sh
# export: every step as a program of its own, which compilers take without a warning; into a file, but never over one.
set -u
. tests/expect.sh

programs=$TMPDIR/programs
mkdir "$programs"

whole() { # whole FILE: the last run printed a program with the kernels of the file, without its //@ lines
    [ "$status" = 0 ] && [ ! -s "$err" ] && grep -q '^int main()$' "$out" && ! grep -q '//@' "$out" &&
        grep -v '//@' "$1" | tail -n 3 >"$TMPDIR/end" && grep -qxFf "$TMPDIR/end" "$out" &&
        has "$out" "cudaGetLastError" && has "$out" "count_wrong" && has "$out" "host::cpu_answer("
}

for lab in $labs; do
    for file in kernels/"$lab"/*.cu; do
        warpbook export "$lab/$(basename "$file" .cu)"
        test_that "$file is exported" whole "$file"
    done
done

# ---- what a compiler says ------------------------------------------------------------------------------------

# clang needs no CUDA Toolkit for its opinion: tests/data/cuda has what is called of CUDA.
clang_takes() { # clang_takes FILE
    clang -xcuda -std=c++17 -nocudainc -nocudalib --cuda-gpu-arch=sm_80 -Wall -Werror -Wno-unknown-cuda-version \
        -Wno-source-uses-openmp -fsyntax-only -I. -Itests/data/cuda -include cuda_runtime.h "$1" >"$out" 2>&1
}
nvcc_takes() {
    nvcc -arch=sm_80 -Xcompiler -Wall,-fopenmp -Werror all-warnings -o "$1.out" "$1" >"$out" 2>&1
}

cat >"$HOME/start.cu" <<'END'
// Vectors, a double, a shift past 32 bits, a template, a kernel called as a variable of main is, a buffer as bytes.
//@ param   n = 1 << 10
//@ param   scale = 2.5
//@ buffer  x float4[n] = hash(i) % 7
//@ buffer  y unsigned[n] = min(i << 3, 100) + (1 << 40) % 3
//@ needs   n % 2 == 0
//@ scratch half_of double[n /
//@             2]
//@ launch  start<<<dim3(n / 256,
//@                      2), 256>>>(x, half_of,
//@             scale, n)
//@ launch  twice<<<sm_count, 32, 60000>>>(y, max(n, 7))
//@ launch  add<unsigned, 4><<<1, 1>>>(y)
__global__ void start(float4 *x, double *half_of, float scale, int n) { x[0].x = scale * n + half_of[0]; }
__global__ void twice(unsigned char *y, const int n) { y[n] *= 2; }
template <class T, int N> __global__ void add(T *y) { y[0] += N; }
END
for what in reduction/4 matvec/5 transpose/5 6/columns 13/rows 1/gray "$HOME/start.cu"; do
    program=$programs/$(echo "${what##*/}-$what" | tr -c 'a-z0-9\n' '-').cu
    warpbook export "$what" --to "$program"
    expect "$what is written into a file" 0 silent "Written to $program."
    if command -v clang >/dev/null; then
        test_that "clang takes it without a warning" clang_takes "$program"
    fi
    case $what in
    reduction/4 | "$HOME"*)
        if command -v nvcc >/dev/null; then
            test_that "nvcc takes it without a warning" nvcc_takes "$program"
        fi
        ;;
    esac
done

for step in 1 2 3 4 5; do # host programs are exported as they are, with what they include
    program=$programs/streams-$step.cu
    warpbook export "streams/$step" --to "$program"
    expect "streams/$step is written into a file" 0 silent "Written to $program."
    if command -v clang >/dev/null; then
        test_that "clang takes it without a warning" clang_takes "$program"
    fi
done

# ---- what is exported ------------------------------------------------------------------------------------------

warpbook export histogram/3 --size small --data skewed
expect "with the size and the data that are asked for" 0 silent "n = 1 << 18;" \
    'host::make_input(h_data.data(), h_bins.data(), n, "skewed");'
warpbook export transpose/6 --set rows=1000 --set cols=36
expect "with the parameters that are given, and what the kernel needs of them" 0 silent "rows = 1000;" "cols = 36;" \
    "if (!(cols % 4 == 0)) {" "This kernel needs cols %% 4 == 0."
warpbook export 06-coalescing/columns --set n=1024
expect "a task of a lesson, by the lesson's name too" 0 silent "// Four columns a thread." \
    "host::cpu_answer(h_x.data(), want_out.data(), n);" not-out "coalescing/"
mkdir -p "$WARPBOOK_HOME/lessons/06-coalescing"
sed 's/Four columns/My four columns/' lessons/06-coalescing/columns.cu >"$WARPBOOK_HOME/lessons/06-coalescing/columns.cu"
warpbook export 6/columns
expect "or the learner's copy of it" 0 silent "// My four columns a thread."
sed 's/A thread per four/My own thread per four/' kernels/histogram/2-words.cu | own_copy histogram/2-words.cu
warpbook export histogram/2
expect "and of a step" 0 silent "// My own thread per four bytes"
warpbook export 1/gray
expect "a file that stands alone is not checked" 0 silent "host::hash_of(i + 1) >> 8 & 255" 'printf("not checked\n")' \
    "for (int64_t i = 0;" not-out "count_wrong"

# ---- where it is written ---------------------------------------------------------------------------------------

to=$TMPDIR/one.cu
warpbook export vecadd/3 --to "$to"
expect "the program names the file that it is in" 0 silent "Written to $to."
test_that "in the lines to compile it" grep -q -- "-o one one.cu && ./one$" "$to"
cp "$to" "$TMPDIR/before"
refuses "already exists; nothing was changed" export vecadd/4 --to "$to"
test_that "a file is left as it was" cmp -s "$to" "$TMPDIR/before"
warpbook export vecadd/4 --to "$to" --force
expect "but with --force" 0 silent "Written to $to."
test_that "it is the new one" grep -q "vecadd/4-grid-stride" "$to"
warpbook export vecadd/3 --to "$TMPDIR"
expect "a folder is not written over" 2 err "is not an ordinary file, so nothing was written"
warpbook export vecadd/3 --to "$TMPDIR/not/there.cu"
expect "nor is one made" 3 err "Give --to a file in a folder that exists"
warpbook export vecadd/3 --to "$TMPDIR/a \" \\ name.cu"
expect "an odd name stays out of the program" 0 silent "Written to"
test_that "which has its usual one" grep -q -- "-o thread-per-element thread-per-element.cu" "$TMPDIR/a \" \\ name.cu"

# ---- loops of launches ----------------------------------------------------------------------------------------

warpbook export tests/data/good/passes.cu
expect "launches in loops are loops" 0 silent \
    out "for (long long k = 2; k <= n; k = k * 2) { for (long long j = k / 2; j > 0; j = j / 2) { pass<<<n / 256, 256>>>("

# ---- wrong use ---------------------------------------------------------------------------------------------------

refuses "export takes one step: histogram/1-global, or another" export histogram
refuses "a kernel can be exported" export histogram/plain
refuses "Did you mean histogram/shared?" export histogram/shard
refuses "Lesson 6 has no task 'column' with a kernel. It has: half, columns," export 6/column
refuses "There is no lab '99'" export 99/columns
refuses "you have not written one: 'warpbook open lesson 6 empty'" export 6/empty
refuses "--force needs --to FILE." export vecadd/3 --force
refuses "has no size 'huge'" export vecadd/3 --size huge
refuses "n must be from 1 to 2^30" export vecadd/3 --set n=0
refuses "start.cu has no parameter 'm'" export "$HOME/start.cu" --set m=1
printf '//@ param new = 1\n//@ buffer x int[new]\n//@ launch k<<<1, 1>>>(x)\n__global__ void k(int *x) {}\n' >"$HOME/new.cu"
refuses "'new' means something else in a C++ program" export "$HOME/new.cu"
