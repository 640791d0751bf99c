#!/bin/sh
# The errors of a table that tests/model.sh wrote, by class: kernels of at least 10 us, and those below by the distance.
#
#   sh tests/model_table.sh FILE.csv
awk -F, '
function note(class, error, inside) {
    errors[class, ++count[class]] = error
    near[class] += error <= 25
    hit[class] += inside
}
function at(class, part,    i, k, t, n) { # the error that this part of the class stays within
    n = count[class]
    for (i = 1; i <= n; i++) sorted[i] = errors[class, i]
    for (i = 2; i <= n; i++)
        for (k = i; k > 1 && sorted[k] < sorted[k - 1]; k--) { t = sorted[k]; sorted[k] = sorted[k - 1]; sorted[k - 1] = t }
    k = int(part * n); if (k < part * n) k++
    return sorted[k < 1 ? 1 : k]
}
NR > 1 && $5 > 0 {
    error = ($5 - $4) / $4 * 100; error = error < 0 ? -error : error
    inside = $4 >= $6 && $4 <= $7
    class = $1 == "times" ? "development" : $3
    if ($4 < 10) { small++; distance = $5 - $4; smallnear += distance <= 2 && distance >= -2; next }
    note(class, error, inside)
    if ($1 == "held") note("all held out", error, inside)
}
END {
    n = split("memory stencil scan product atomics compute small edit", names, " ")
    names[++n] = "all held out"; names[++n] = "late"; names[++n] = "later"; names[++n] = "unseen"; names[++n] = "fresh"; names[++n] = "blind"; names[++n] = "sealed"; names[++n] = "novel"; names[++n] = "unmet"; names[++n] = "chains"; names[++n] = "constants"; names[++n] = "uneven"; names[++n] = "development"
    print "| class | kernels | median | nine in ten | within 25 % | in the band |"
    print "| --- | ---: | ---: | ---: | ---: | ---: |"
    for (i = 1; i <= n; i++)
        if (count[names[i]])
            printf "| %s | %d | %.1f %% | %.1f %% | %d | %d |\n", names[i], count[names[i]], at(names[i], 0.5),
                at(names[i], 0.9), near[names[i]], hit[names[i]]
    printf "\nUnder 10 us: %d of %d within 2 us.\n", smallnear, small
}' "$1"
