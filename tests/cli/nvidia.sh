#!/bin/sh
# The row of NVIDIA's library below a ladder: stand-ins for cuBLAS and CUB, and for the GPU.
set -u
. tests/expect.sh
stand_in
library="$BUILD/test/libfakelibrary.so"

warpbook show matmul/1 --ptx
if [ "$status" != 0 ]; then
    echo "skip nvidia nothing here compiles the kernels"
    exit 0
fi

last() { # last TEXT: the last row of the table begins so
    [ "$(grep '^  [^ ]' "$out" | tail -n 1 | cut -c3-$((2 + ${#1})))" = "$1" ]
}

warpbook run matmul --size small --on gpu
expect "without the library there is no row" 0 silent not-out "cuBLAS"

export WARPBOOK_CUBLAS="$library" WARPBOOK_CUB="$library"
for row in "matmul cuBLAS, SGEMM" "tensor cuBLAS, halves to floats" "scan CUB, DeviceScan"; do
    warpbook run "${row%% *}" --size small --on gpu
    expect "the row of ${row%% *} is right" 0 silent not-out "wrong" "failed"
    test_that "and stands below the ladder of ${row%% *}" last "${row#* }"
    test_that "its table fits 80 columns" sh -c "! grep -E '.{81}' '$out'"
done
warpbook run matmul --size small --on gpu --json
test_that "its record comes last, with the library's version and without code" \
    sh -c "tail -n 1 '$out' | grep '\"variant\":\"cublas\"' | grep '\"compiler\":\"cuBLAS 13.1.2\"' | grep -qv '\"code\"'"
warpbook run matmul --set n=33 --on gpu
expect "it takes any size" 0 silent out "cuBLAS"
warpbook run matmul/1 --size small --on gpu
expect "a step alone has none" 0 silent not-out "cuBLAS"
warpbook run matmul --size small --on cpu
expect "nor has the CPU" 0 silent not-out "cuBLAS"
warpbook run matmul/cublas
expect "who asks for it as a step is told where it is" 2 err "no step" "'warpbook run matmul'"

# A compiled CUB lies beside the program, as it was built or as it was installed.
for place in lib ../lib/warpbook; do
    mkdir -p "$TMPDIR/bin/$place"
    cp "$WARPBOOK" "$TMPDIR/bin/warpbook"
    cp "$library" "$TMPDIR/bin/$place/libwarpbook-cub.so"
    env -u WARPBOOK_CUB WARPBOOK_DATA="$ROOT" "$TMPDIR/bin/warpbook" run scan --size small --on gpu >"$out"
    test_that "it is found in $place" grep -q 'CUB, DeviceScan .*right' "$out"
    rm "$TMPDIR/bin/$place/libwarpbook-cub.so"
done

export WARPBOOK_FAKE_LIBRARY=wrong
warpbook run matmul --size small --on gpu
expect "what it computes is checked" 1 silent out "cuBLAS, SGEMM" "of 65536 wrong, first c[0]"
warpbook run scan --size small --on gpu
expect "CUB, too" 1 silent out "1 of 262144 wrong"
export WARPBOOK_FAKE_LIBRARY=refuse
warpbook run tensor --size small --on gpu
expect "what it refuses is told" 1 silent out "failed" "answers with error 13"
warpbook run scan --size small --on gpu
expect "CUB, too, when it is asked for its memory" 1 silent out "answers with error 1"
unset WARPBOOK_FAKE_LIBRARY
export WARPBOOK_CUBLAS="$FAKE_CUDA" # a library, but another one
warpbook run matmul --size small --on gpu
expect "a library without its functions is told" 1 silent out "failed" "has no cublasCreate_v2"
