#!/bin/sh
# The recorded H100 rows of the ladders, modelled with the figures of the H200 in which only the constants are exchanged
# that a data sheet gives: DRAM's rates. And the table of their errors, as it stands in engine/model/README.md.
#
#   sh tests/model_rows.sh BUILD FILE.csv [SIZE [LAB]]    adds the rows of a lab, or of all, to the file; full sizes take
#                                                         half an hour; LIMIT: seconds for each
#   sh tests/model_rows.sh --table FILE.csv
set -u
if [ "$1" = --table ]; then
    for size in full small '.*'; do
        awk -F, -v size="^$size\$" '$2 ~ size && $5 > 0 { e = ($5 - $4) / $4 * 100; print e < 0 ? -e : e }' "$2" | sort -n |
            awk -v name="$([ "$size" = '.*' ] && echo "all rows" || echo "$size size")" '
                { e[NR] = $1; near += $1 <= 25 }
                END { m = int((NR + 1) / 2); n = int(0.9 * NR); n += n < 0.9 * NR
                    printf "| %s | %d | %.1f %% | %.1f %% | %d |\n", name, NR, e[m], e[n], near }'
    done
    exit 0
fi
build=$1 out=$2 only=${3:-} lab=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# 3.35 TB/s of an H100 SXM, 4.8 TB/s of an H200: every rate of DRAM in that proportion.
awk '/"dram_(read|write|copy|lines)"/ { inside = 1 }
    inside && /"value"/ { match($0, /[0-9.]+/); printf "   \"value\": %.6g,\n", substr($0, RSTART, RLENGTH) * 3.35 / 4.8
        inside = 0; next }
    { print }' assets/gpus/h200.json >"$work/h100-by-data-sheet.json"
field() { # field KEY FILE: the first of a record
    sed -n "s/.*\"$1\":\"*\([^,\"}]*\).*/\1/p" "$2" | head -n 1
}
cat "assets/recorded/$lab"*.jsonl | grep '"device":"NVIDIA H100' | grep '"backend":"gpu"' | while read -r record; do
    printf '%s\n' "$record" >"$work/record"
    sed 's/.*"params"//' "$work/record" >"$work/rest"
    lab=$(sed -n 's/^{"lab":"\([^"]*\)".*/\1/p' "$work/record")
    step=$(sed -n 's/^{"lab":"[^"]*","variant":"\([^"]*\)".*/\1/p' "$work/record")
    size=$(sed -n 's/^.*"preset":"\([^"]*\)","data".*/\1/p' "$work/record")
    data=$(sed -n 's/^.*"preset":"[^"]*","data":"\([^"]*\)".*/\1/p' "$work/record")
    [ -z "$only" ] || [ "$only" = "$size" ] || continue
    case $lab/$step/$size in # too much to simulate
    matmul/*/full | histogram/[12]-*/full | matvec/*/full) continue ;;
    esac
    [ -f "kernels/$lab/$step.cu" ] || continue
    "$build/warpbook" sim "$lab/$step" --size "$size" --data "$data" --gpu "$work/h100-by-data-sheet.json" \
        --check counters --memory 8G --limit "${LIMIT:-120}" --json >"$work/one" 2>/dev/null
    sed -n 's/.*"modelled":{\(.*\)/\1/p' "$work/one" >"$work/modelled"
    printf '%s/%s,%s,%s,%s,%s,%s,%s,%s\n' "$lab" "$step" "$size" "$data" \
        "$(sed -n 's/.*"median_ms":\([0-9.e+-]*\),.*/\1/p' "$work/record")" \
        "$(field ms "$work/modelled")" "$(field low_ms "$work/modelled")" "$(field high_ms "$work/modelled")" \
        "$(field limiter "$work/modelled")" |
        awk -F, '{ printf "%s,%s,%s,%.2f,%.2f,%.2f,%.2f,%s\n", $1, $2, $3, $4 * 1000, $5 * 1000, $6 * 1000, $7 * 1000, $8 }' >>"$out"
done
