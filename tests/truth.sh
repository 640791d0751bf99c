#!/bin/sh
# What a GPU makes of a folder of kernels, as tables that unit/sim_truth reads: the digests of each kernel's buffers
# afterwards, and Nsight Compute's counters.
#
#   tests/truth.sh FOLDER OUT [KERNEL...]     OUT gets digests.csv and counters.csv; all kernels of FOLDER, or these
#
# Each NAME.cu has its launch in `//@` lines, and the same buffers as the others. nvcc compiles it (NVCC=..., and
# ARCH=sm_80 for another GPU than this one); where there is none, NAME.ptx beside it goes to the driver. The counters are
# those in FOLDER/counters.csv, or in TRUTH_COLUMNS, or all that are known here. KEEP=1 leaves the bytes of all buffers in OUT,
# too. Without ncu (NCU=...) there are digests alone, and the script says so.
set -u
if [ $# -lt 2 ] || [ ! -d "$1" ]; then
    sed -n '5s/^# */usage: /p' "$0" >&2
    exit 2
fi
folder=$1 out=$2
shift 2
truth=${TRUTH:-$(dirname "$0")/../build/truth}
nvcc=$(command -v "${NVCC:-nvcc}" || true)
ncu=$(command -v "${NCU:-ncu}" || true)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" || exit 1

if [ ! -x "$truth" ]; then
    echo "$truth is not there; 'make build/truth' makes it." >&2
    exit 3
fi
gpu=$("$truth") || exit 3

# ---- columns and their metrics ------------------------------------------------------------------------------------

metrics='
gld_req l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
gld_sec l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
gst_req l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
gst_sec l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
red_req l1tex__t_requests_pipe_lsu_mem_global_op_red.sum
red_sec l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum
atom_req l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum
atom_sec l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum
sld_inst smsp__inst_executed_op_shared_ld.sum
sld_wave l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
sld_conf l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
sst_inst smsp__inst_executed_op_shared_st.sum
sst_wave l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
sst_conf l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
satom_inst smsp__inst_executed_op_shared_atom.sum
satom_wave l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum
satom_conf l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum
dld_req l1tex__t_requests_pipe_lsu_mem_dshared_op_ld.sum
dld_sec l1tex__t_sectors_pipe_lsu_mem_dshared_op_ld.sum
dld_wave l1tex__t_output_wavefronts_pipe_lsu_mem_dshared_op_ld.sum
dst_req l1tex__t_requests_pipe_lsu_mem_dshared_op_st.sum
dst_sec l1tex__t_sectors_pipe_lsu_mem_dshared_op_st.sum
dst_wave l1tex__t_output_wavefronts_pipe_lsu_mem_dshared_op_st.sum
datom_req l1tex__t_requests_pipe_lsu_mem_dshared_op_atom.sum
datom_sec l1tex__t_sectors_pipe_lsu_mem_dshared_op_atom.sum
datom_wave l1tex__t_output_wavefronts_pipe_lsu_mem_dshared_op_atom.sum
ldsm smsp__inst_executed_op_ldsm.sum
copies smsp__inst_executed_op_ldgsts.sum
tensor sm__inst_executed_pipe_tensor.sum
l1_wave_shared memory_l1_wavefronts_shared
l1_wave_shared_ideal memory_l1_wavefronts_shared_ideal
l2_sectors memory_l2_theoretical_sectors_global
l2_sectors_ideal memory_l2_theoretical_sectors_global_ideal
inst smsp__inst_executed.sum
thread_inst smsp__thread_inst_executed.sum
lanes_per_inst smsp__thread_inst_executed_per_inst_executed.ratio
registers launch__registers_per_thread'

columns=${TRUTH_COLUMNS:-}
if [ -z "$columns" ] && [ -f "$folder/counters.csv" ]; then
    columns=$(grep -v '^#' "$folder/counters.csv" | head -n 1 | cut -d, -f2-)
fi
# Columns that nothing here measures, such as one that ncu has no metric for, are left out.
chosen=$(echo "$metrics" | awk -v wanted="$columns" '
    NF == 2 { metric[$1] = $2; known = known (known ? "," : "") $1 }
    END {
        count = split(wanted ? wanted : known, names, ",")
        for (i = 1; i <= count; i++)
            if (names[i] in metric) print names[i], metric[names[i]]
    }')

# A row of counters.csv from what ncu prints: a line of names, then a line for each metric of each launch. Launches add up.
row() { # row KERNEL <CSV
    awk -v kernel="$1" -v chosen="$chosen" '
        BEGIN { count = split(chosen, word) }
        /^"/ {
            fields = split(substr($0, 2, length($0) - 2), field, /","/)
            if (!value)
                for (i = 1; i <= fields; i++) {
                    if (field[i] == "Metric Name") name = i
                    if (field[i] == "Metric Value") value = i
                }
            else {
                gsub(/,/, "", field[value])
                if (field[value] ~ /^[0-9.]+$/) { sum[field[name]] += field[value]; seen[field[name]] = 1 }
            }
        }
        END {
            line = kernel
            for (i = 2; i <= count; i += 2) {
                if (!(word[i] in seen)) { print word[i]; exit 1 }
                line = line sprintf(",%.12g", sum[word[i]])
            }
            print line
        }'
}

# ---- the kernels ----------------------------------------------------------------------------------------------------

if [ $# = 0 ]; then
    for file in "$folder"/*.cu; do
        [ -f "$file" ] && set -- "$@" "$(basename "$file" .cu)"
    done
fi
by="nvcc -O3 ${ARCH:+-arch=$ARCH}"
[ -n "$nvcc" ] || by="the driver"
about="# $gpu, $(date -u +%Y-%m-%d); compiled by ${by% }."
failures=0 names=
echo "$about" >"$out/digests.csv"
if [ -n "$ncu" ]; then
    about="$about $("$ncu" --version | sed -n 's/^Version */Nsight Compute /p')"
    echo "$about" >"$out/counters.csv"
    echo "kernel,$(echo "$chosen" | cut -d' ' -f1 | paste -sd, -)" >>"$out/counters.csv"
else
    echo "There is no Nsight Compute here (ncu), so that nothing is counted." >&2
fi

fails() { # fails KERNEL FILE: says what is in it
    failures=$((failures + 1))
    echo "$1: $(tail -n 3 "$2")" >&2
}

for kernel; do
    code=$folder/$kernel.ptx
    if [ -n "$nvcc" ]; then
        code=$work/$kernel.cubin
        "$nvcc" -O3 -arch="${ARCH:-native}" -cubin -o "$code" "$folder/$kernel.cu" >"$work/said" 2>&1 ||
            { fails "$kernel" "$work/said"; continue; }
    fi
    "$truth" "$folder/$kernel.cu" "$code" ${KEEP:+"$out"} >"$work/lines" 2>"$work/said" ||
        { fails "$kernel" "$work/said"; continue; }
    [ -n "$names" ] || { names=$(head -n 1 "$work/lines"); echo "$names" >>"$out/digests.csv"; }
    if [ "$(head -n 1 "$work/lines")" != "$names" ]; then
        echo "its buffers are $(sed -n '1s/^kernel,//p' "$work/lines"), and not ${names#kernel,}" >"$work/said"
        fails "$kernel" "$work/said"
        continue
    fi
    tail -n 1 "$work/lines" >>"$out/digests.csv"
    [ -n "$ncu" ] || continue
    "$ncu" --csv --print-units base --clock-control none --metrics "$(echo "$chosen" | cut -d' ' -f2 | paste -sd, -)" \
        "$truth" "$folder/$kernel.cu" "$code" >"$work/csv" 2>"$work/said"
    if row "$kernel" <"$work/csv" >"$work/row"; then
        cat "$work/row" >>"$out/counters.csv"
    else
        { echo "Nsight Compute does not count $(cat "$work/row"):"; grep -h '^==ERROR==' "$work/csv" "$work/said"; } >"$work/why"
        fails "$kernel" "$work/why"
    fi
done
echo "$# kernels on $gpu, $failures failed: $out"
[ $failures = 0 ]
