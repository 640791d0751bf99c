#!/bin/sh
# The linker's graph: which file uses a symbol of which. Includes and names can mislead; what the linker joins cannot.
# Fails on an edge upward, from a folder to one above it, and when more exported symbols than the ceiling
# have a single other file that uses them: those are exported only because a file was cut in two. Prints the largest
# cycle of files, which may lie within one folder.
#
#   tests/graph.sh SINGLES UPWARD "FOLDER..." OBJECT...    folders from the bottom to the top; at most so many singles
#                                                          and edges upward
set -u
singles=$1 upward=$2 folders=$3
shift 3

# An object's path is BUILD/obj/SOURCE.o.
nm -gA "$@" | awk -v folders="$folders" -v singles="$singles" -v upward="$upward" '
    function folder_of(file) {
        sub(/\/[^\/]*$/, "", file)
        return file
    }
    # Tarjan: a file is on the stack until the whole cycle that it is part of is known.
    function visit(file,    count, i, next_file, list) {
        index_of[file] = low[file] = ++visited
        stack[++depth] = file
        on_stack[file] = 1
        count = split(uses[file], list, "\n")
        for (i = 1; i <= count; i++) {
            next_file = list[i]
            if (!(next_file in index_of))
                visit(next_file)
            if (on_stack[next_file] && low[next_file] < low[file])
                low[file] = low[next_file]
        }
        if (low[file] != index_of[file])
            return
        count = 0
        list[0] = ""
        do {
            next_file = stack[depth--]
            on_stack[next_file] = 0
            list[0] = list[0] " " next_file
            count++
        } while (next_file != file)
        if (count > largest) {
            largest = count
            cycle = list[0]
        }
    }
    BEGIN {
        count = split(folders, list, " ")
        for (i = 1; i <= count; i++)
            floor[list[i]] = i
    }
    {
        colon = index($0, ":")
        file = substr($0, 1, colon - 1)
        sub(/^.*\/obj\//, "", file)
        sub(/\.o$/, "", file)
        if ($(NF - 1) == "U")
            wanted[file, $NF] = 1
        else if ($(NF - 1) ~ /^[TDBRCVW]$/) {
            owner[$NF] = file
            exported++
        }
    }
    END {
        for (pair in wanted) {
            split(pair, part, SUBSEP)
            file = part[1]
            to = owner[part[2]]
            if (to == "" || to == file)
                continue
            users[part[2]]++
            user[part[2]] = file
            if (!((file, to) in edge)) {
                edge[file, to] = part[2]
                uses[file] = uses[file] (uses[file] == "" ? "" : "\n") to
                files[file] = files[to] = 1
            }
        }
        for (pair in edge) {
            split(pair, part, SUBSEP)
            from = folder_of(part[1])
            to = folder_of(part[2])
            if (!(from in floor) || !(to in floor) || floor[from] < floor[to]) {
                printf "upward: %s uses %s of %s\n", part[1], edge[pair], part[2] | "sort"
                edges++
            }
        }
        close("sort")
        for (file in files)
            if (!(file in index_of))
                visit(file)
        for (symbol in owner)
            if (users[symbol] == 1) {
                single++
                within += folder_of(user[symbol]) == folder_of(owner[symbol])
            }
        printf "graph: %d edges upward (at most %d); largest cycle: %d files;", edges, upward, largest
        printf " %d of %d exported symbols have a single user (at most %d), %d of them in the same folder\n", single,
            exported, singles, within
        if (largest > 1)
            print "graph: the largest cycle:" cycle
        exit edges > upward || single > singles
    }'
