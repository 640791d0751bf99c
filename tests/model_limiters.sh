#!/bin/sh
# Modelled limiters beside those that Nsight Compute shows, by limiter: those of the first table, those of the second.
#
#   sh tests/model_limiters.sh MODELLED.csv NCU.csv
#
# NCU.csv has, of each kernel, what each unit reached of its peak, in percent, launches weighted by their time. The limiter
# is the unit that reached most, and latency where none reached 60 %: Nsight Compute's own rule. It has no unit for atomics,
# which L2 serves, and none for launching, which leaves all units idle.
awk -F, '
NR == FNR {
    if (FNR == 1) { for (i = 3; i <= 7; i++) unit[i] = $i; next }
    best = 3
    for (i = 4; i <= 7; i++) if ($i > $best) best = i
    seen[$1] = $best < 60 ? "latency" : unit[best]
    next
}
FNR > 1 && $2 in seen && $5 > 0 {
    says = $8
    if (says == "shared") says = "l1"
    if (says == "arithmetic") says = "pipe"
    if (says == "atomics") says = "l2"
    if (says == "launching") says = "latency"
    all++; count[says]++; pair[says, seen[$2]]++; same += says == seen[$2]
}
END {
    n = split("issue pipe l1 l2 dram latency", names, " ")
    split("instructions,arithmetic,shared memory or L1,L2 or atomics,DRAM,latency or launching", words, ",")
    printf "| modelled | kernels |"
    for (i = 1; i <= n; i++) printf " %s |", names[i]
    printf "\n| --- | ---: |"
    for (i = 1; i <= n; i++) printf " ---: |"
    printf "\n"
    for (i = 1; i <= n; i++) {
        printf "| %s | %d |", words[i], count[names[i]]
        for (k = 1; k <= n; k++) printf " %d |", pair[names[i], names[k]]
        printf "\n"
    }
    printf "\n%d of %d limiters are the same (%.0f %%).\n", same, all, 100 * same / all
}' "$2" "$1"
