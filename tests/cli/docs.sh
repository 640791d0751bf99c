#!/bin/sh
# The documents name files, functions, commands and goals of make that exist: whatever is written `in code` there. A file
# may be named by its path or by its name alone; `path/file.c:name` says that the name occurs in the file. Words in
# capitals (LAB, STEP-NAME) stand for others and are left out, and so are blocks of code.
set -u
. tests/expect.sh

documents="README.md HACKING.md SECURITY.md kernels/FORMAT.md lessons/FORMAT.md
lessons/INSTRUCTORS.md lessons/MACHINES.md engine/exec/PROGRAMS.md engine/run/PROTOCOL.md engine/sim/README.md engine/sim/COUNTS.md"

# Files and a command that a document shows how to make.
examples='scale.cu|twice.c|twice.ptx|kernels/axpy|kernels/vecadd/6-two-each.cu|.*/clock.(c|sh)|tui/explore/flight.c|uniform(-fixed)?.cu'

find . -name .git -prune -o -path ./build -prune -o -type f -print | sed 's|^\./||' >"$TMPDIR/files"
sed 's|.*/||' "$TMPDIR/files" | sort -u >"$TMPDIR/names"
"$WARPBOOK" help | sed -n 's/^  \([a-z][a-z]*\).*/\1/p' >"$TMPDIR/commands"

spans() { # spans FILE: its code spans, one to a line, without those of its blocks
    awk '/^ *```/ { block = !block; next } !block && !/^    /' "$1" | tr '\n' ' ' | grep -oE '`[^`]+`' | tr -d '`' | sort -u
}

# In the paths of a folder's own document the folder may be left out.
is_there() { # is_there PATH DOCUMENT
    case $1 in
    */*) [ -e "$1" ] || [ -e "${2%/*}/$1" ] ;;
    *) [ -e "$1" ] || grep -qxF -- "$1" "$TMPDIR/names" ;;
    esac
}

paths() { # paths DOCUMENT: the spans that are files or folders of the repository
    spans "$1" | tr ' ' '\n' |
        grep -E '^((engine|tui|lessons|kernels|reference|assets|tests|\.ci)/[A-Za-z0-9_./*:-]*|[A-Za-z0-9_./*-]+\.(c|h|mk|sh|md|cu)(:[A-Za-z0-9_]+)?)$' |
        grep -vxE "$examples" | grep -vE '(^|[/_-])(LAB|STEP|NAME|TERM|FILE|NN|TARGET)' | grep -vE '^(/|~|\.\./|build/)' | sort -u
}

named() { # named DOCUMENT: every path is there, and every name in its file
    paths "$1" >"$TMPDIR/paths"
    trouble=
    while read -r path; do
        file=${path%%:*} name=
        case $path in *:*) name=${path#*:} ;; esac
        case $file in
        *'*'*) # shellcheck disable=SC2086
            [ -n "$(ls -d $file 2>/dev/null)" ] || trouble="$trouble $file" ;;
        *) is_there "$file" "$1" || trouble="$trouble $file" ;;
        esac
        if [ -n "$name" ] && ! grep -qw -- "$name" "$file"; then
            trouble="$trouble $path"
        fi
    done <"$TMPDIR/paths"
    [ -z "$trouble" ] || { echo "# $1 names what is not there:$trouble" && return 1; }
}

# The lines of code blocks count for commands and goals.
code() { # code FILE
    spans "$1"
    grep -E '^    ' "$1"
}

commands_there() {
    for word_ in $(code "$1" | grep -oE '(^|[ /])warpbook [a-z]+' | sed 's/.* //' | sort -u); do
        [ "$word_" = clock ] || grep -qx "$word_" "$TMPDIR/commands" || { echo "# $1 names the command $word_" && return 1; }
    done
}

goals_there() {
    for goal_ in $(code "$1" | grep -oE '(^|[^a-z])make( [a-z][a-z/.-]*)+' |
        sed 's/^.*make //' | tr ' ' '\n' | grep -xE '[a-z][a-z-]*' | sort -u); do
        grep -qE "^(\.PHONY:.* )?$goal_( |:)|^\.PHONY:.* $goal_\$" Makefile tests/*.mk ||
            { echo "# $1 names the goal $goal_" && return 1; }
    done
}

for document in $documents; do
    test_that "what $document names is there" named "$document"
    test_that "so are the commands in $document" commands_there "$document"
    test_that "and the goals of make" goals_there "$document"
done

# The table of structs: | `name` | `file` | ...
structs() {
    sed -n 's/^| `\([a-z_]*\)` | `\([a-z_/]*\.h\)` |.*/\1 \2/p' HACKING.md >"$TMPDIR/structs"
    [ "$(wc -l <"$TMPDIR/structs")" = 10 ] || return 1
    while read -r name_ file_; do
        grep -q "^struct $name_ {" "$file_" || { echo "# $file_ has no struct $name_" && return 1; }
    done <"$TMPDIR/structs"
}
test_that "the structs of HACKING.md are where it says" structs
test_that "README.md is a front page of at most 200 lines" [ "$(wc -l <README.md)" -le 200 ]
# "6 2": of each lesson that is listed, how many parts it has.
parts_listed() {
    "$WARPBOOK" lesson | awk '/^ [^ ]+ +[0-9]+  / { lesson = $2; parts[lesson] = 1 }
        $2 ~ /^[0-9]+\.[0-9]+$/ { split($2, part, "."); parts[part[1]] = part[2] }
        END { for (lesson in parts) print lesson, parts[lesson] }' | sort -n
}
parts_written() {
    awk -F ' *[|] *' '/^[|] \| lesson / { inside = 1; next } !/^[|]/ { inside = 0 } inside && $2 + 0 { print $2, $4 }' README.md
}
same_parts() {
    [ "$(parts_listed | wc -l)" -ge 13 ] && [ "$(parts_listed)" = "$(parts_written)" ]
}
test_that "its lessons have as many parts as it says" same_parts
screen() { # the first block of README.md
    awk '/^```$/ { inside = !inside; if (!inside) exit; next } inside' README.md
}
test_that "its screen has 24 rows" [ "$(screen | wc -l)" = 24 ]
test_that "of at most 80 columns" [ "$(screen | grep -cE '^.{81,}')" = 0 ]

# ---- what instructors are told ----------------------------------------------------------------------------------------

# Each lesson by the start of its title, parts by their numbers, screens by their headings.
lessons_taught() {
    sed -n 's/^title: //p' lessons/[0-9]*/lesson.md | sed 's/[:,].*//' >"$TMPDIR/titles"
    while read -r title_; do
        grep -qF -- "$title_" lessons/INSTRUCTORS.md || { echo "# no plan names $title_" && return 1; }
    done <"$TMPDIR/titles"
}
parts_taught() {
    "$WARPBOOK" lesson | awk '$2 ~ /^[0-9]+\.[0-9]+$/ { print $2 }' >"$TMPDIR/parts"
    for part_ in $(grep -oE '(parts?|and|of|lesson) [0-9]+\.[0-9]+' lessons/INSTRUCTORS.md | sed 's/.* //'); do
        grep -qx "$part_" "$TMPDIR/parts" || { echo "# no lesson has part $part_" && return 1; }
    done
}
screens_taught() {
    { grep -oE '"[A-Z][^"]*"' lessons/INSTRUCTORS.md
      cat lessons/[0-9]*/lesson.md | tr '\n' ' ' | grep -oE '<!-- instructor:[^>]*-->' | grep -oE 'screen "[^"]*"'
    } | sed 's/^[^"]*"//; s/"$//' >"$TMPDIR/screens"
    [ "$(wc -l <"$TMPDIR/screens")" -ge 2 ] || return 1
    while read -r screen_; do
        grep -qxF -- "## $screen_" lessons/[0-9]*/lesson.md || { echo "# no screen is called $screen_" && return 1; }
    done <"$TMPDIR/screens"
}
test_that "a plan for instructors names every lesson" lessons_taught
test_that "and parts that there are" parts_taught
test_that "and screens that there are" screens_taught
test_that "the minutes of the lessons that ship are computed" [ -z "$(grep -l '^minutes:' lessons/[0-9]*/lesson.md)" ]
