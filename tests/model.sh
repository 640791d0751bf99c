#!/bin/sh
# How near modelled times are to measured ones: models each kernel of tests/model/GPU.csv for that GPU, an H100 where none
# is named, and writes the error by class, as it stands in engine/model/README.md.
#
#   make model          all kernels of the H100, into build/model.csv
#   sh tests/model.sh BUILD EVERY [GPU]    every EVERY-th of them
set -u
build=${1:-build} every=${2:-1} gpu=${3:-h100}
out=$build/model.csv
echo "set,kernel,class,measured_us,modelled_us,low_us,high_us,limiter" >"$out"
field() { # field KEY: of the modelled part of a record
    sed -n 's/.*"modelled":{\(.*\)/\1/p' "$build/model.one" | sed -n "s/.*\"$1\":\"*\([^,\"}]*\).*/\1/p" | head -n 1
}
n=0
while IFS=, read -r set kernel class measured _; do
    [ "$set" != set ] || continue
    n=$((n + 1))
    [ $((n % every)) = 0 ] || continue
    "$build/warpbook" sim "tests/model/$set/$kernel.cu" --gpu "$gpu" --check counters --json >"$build/model.one" 2>/dev/null
    ms=$(field ms) low=$(field low_ms) high=$(field high_ms)
    printf '%s,%s,%s,%s,%s\n' "$set" "$kernel" "$class" "$measured" "$(echo "${ms:-0} ${low:-0} ${high:-0} $(field limiter)" |
        awk '{ printf "%.2f,%.2f,%.2f,%s", $1 * 1000, $2 * 1000, $3 * 1000, $4 }')" >>"$out"
done <"tests/model/$gpu.csv"
rm -f "$build/model.one"
sh tests/model_table.sh "$out"
