#!/bin/sh
# No struct, union or enum tag is defined twice in the C files of the repository, also not in two .c files: a name that
# means two things misleads grep, an editor and a reader alike.
#
#   tests/tags.sh [CEILING]     fails when more tags than CEILING (0) have several definitions
set -u
cd "$(dirname "$0")/.." || exit 1
ceiling=${1:-0}

# A definition is the tag followed by a brace; comments and strings hold none that look like it.
find engine kernels reference lessons tui tests -name '*.[ch]' | sort | xargs awk -v ceiling="$ceiling" '
    {
        line = $0
        sub(/\/\/.*/, "", line)
        while (match(line, /(struct|union|enum) +[A-Za-z_][A-Za-z_0-9]* *\{/)) {
            split(substr(line, RSTART, RLENGTH), word, / +|\{/)
            count[word[2]]++
            where[word[2]] = where[word[2]] "\n    " FILENAME ":" FNR
            line = substr(line, RSTART + RLENGTH)
        }
    }
    END {
        for (tag in count)
            if (count[tag] > 1) {
                print tag where[tag]
                several++
            }
        printf "tags: %d defined more than once, at most %d allowed\n", several, ceiling
        exit several > ceiling
    }'
