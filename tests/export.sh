#!/bin/sh
# Every step of every lab, exported, compiled by nvcc without a warning, and where there is a GPU run: each result must
# be right.
#
#   tests/export.sh [FOLDER] [JOBS]     leaves the programs and what they said in FOLDER
#
# Not part of `make test`, which compiles a few: it needs the CUDA Toolkit and some minutes.
set -u
cd "$(dirname "$0")/.." || exit 1
out=${1:-build/exported}
jobs=${2:-2}
program=${WARPBOOK:-build/warpbook}
command -v nvcc >/dev/null || { echo "There is no nvcc here." && exit 3; }
mkdir -p "$out"

for file in kernels/*/*.cu; do
    step=$(basename "$(dirname "$file")")/$(basename "$file" .cu)
    "$program" export "$step" --force --to "$out/$(echo "$step" | tr / -).cu" >/dev/null || exit 1
done
find "$out" -name '*.cu' | sort | xargs -P "$jobs" -I{} sh -c \
    'nvcc -O3 -arch="$2" -Xcompiler -Wall,-Wextra,-fopenmp -Werror all-warnings -o "$1.out" "$1" >"$1.log" 2>&1 ||
        { echo "not ok nvcc $1" && cat "$1.log"; }' sh {} "${ARCH:-native}" >"$out/nvcc"
cat "$out/nvcc"
[ -s "$out/nvcc" ] && exit 1
echo "ok nvcc compiled $(find "$out" -name '*.out' | wc -l)"

[ -e /dev/nvidiactl ] || exit 0
wrong=0
for built in "$out"/*.out; do
    "$built" >"$built.said" 2>&1 || { echo "not ok $built" && wrong=1; }
    printf '%-44s %s\n' "$(basename "$built" .cu.out)" "$(tr '\n' ' ' <"$built.said")"
done
exit $wrong
