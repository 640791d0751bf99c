#!/bin/sh
# explain: a term as the terms page shows it, or what is near.
set -u
. tests/expect.sh

warpbook explain warp
expect "explain prints the sentence, what to try and what it leads to" 0 silent \
    "A warp is a group of 32 threads" "Try" "warpbook " "See also" "lane" "What leads here" "thread"
test_that "explain fits 80 columns" sh -c "! grep -E '.{81}' '$out'"

warpbook explain Shared_Memory
cp "$out" "$TMPDIR/shared"
expect "case, blanks and signs do not matter" 0 silent "shared memory"
for words in "shared memory" shared-memory smem __shared__; do
    warpbook explain "$words"
    test_that "explain '$words' says the same" cmp -s "$out" "$TMPDIR/shared"
done
warpbook explain shared memory
test_that "several words are one name" cmp -s "$out" "$TMPDIR/shared"

warpbook explain wrap
expect "a misspelt word gives the nearest" 0 silent "No term is called 'wrap'. Near it:" "A warp is"
warpbook explain bank conflit
expect "words that are a misspelt name together lead to it first" 0 silent \
    "Near it: bank conflict A bank conflict happens"
warpbook explain conflit
expect "as does one of its words" 0 silent "Near it: bank conflict A bank conflict happens"

for words in "what is a warp" "What is a warp?" "what does a warp do"; do
    warpbook explain "$words"
    expect "'$words' explains the word in it, and nothing else" 0 silent "A warp is a group of 32 threads" "See also" \
        not-out "No term" not-out "Also near"
done
warpbook explain atomicAdd slow
expect "words with a term in them explain it, and say what else is near" 0 silent \
    "atomic An atomic operation reads" "Try" "Also called atomics, atomicAdd" "Also near 'atomicAdd slow':" \
    'warpbook open lesson 12 "What to look at first"'
warpbook explain why is my kernel slow
expect "a question names the section that answers it" 0 silent \
    "Nearest to 'why is my kernel slow': What to look at first" 'warpbook open lesson 12 "What to look at first"'
warpbook explain L1 cache size
expect "sections and terms are named together" 0 silent "Nearest to 'L1 cache size': Shared memory and L1" \
    'warpbook open lesson 5 "Shared memory and L1"' 'warpbook explain "L1"'
warpbook explain warp shuffle example
expect "as are steps" 0 silent "warp shuffle A warp shuffle gives" "warpbook open bench reduction/7-shuffle"
warpbook explain turn a knob for bank conflicts
test_that "what a question finds fits 80 columns" sh -c "! grep -E '.{81}' '$out'"
warpbook explain culprit
expect "a word that no term has is searched in all that can be read" 0 silent "Nearest to 'culprit':" "Which line is it?"
LC_ALL=C warpbook explain why is my kernel slow
expect "without UTF-8 it is plain ASCII" 0 silent "What to look at first"
test_that "and nothing else" sh -c "! grep -P '[^ -~]' '$out'"

warpbook explain 'a.cu(3): error: identifier "blokcIdx" is undefined'
expect "a compiler's message is explained" 0 silent 'identifier "x" is undefined' "usually it is misspelt" "Try"
warpbook explain CUDA error: an illegal memory access was encountered
expect "as is the runtime's" 0 silent "illegal memory access A thread touched" "Try"
for words in 700 "error 700" "CUDA error: 700"; do
    warpbook explain "$words"
    expect "the error of '$words' is explained" 0 silent "illegal memory access A thread touched" not-out "No term"
done
warpbook explain smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct
expect "a metric of Nsight Compute leads to what it counts" 0 silent "long scoreboard A long scoreboard stall" "Try"
warpbook explain ld.global.nc.v4.u32
expect "an instruction is explained with all that hangs on it" 0 silent "vector load A vector load brings" "Try"

warpbook sim histogram/3 --json
tr ',{' '\n\n' <"$out" | sed -n 's/^"\([a-z0-9_.]*\)":[0-9].*/\1/p' |
    grep -E '_(req|sec|inst|wave|conf|sectors|shared|ideal)$|__|^(branches|divergent|barriers)$' |
    sort -u >"$TMPDIR/counters"
test_that "there are counters to explain" sh -c "[ \$(wc -l <'$TMPDIR/counters') -gt 40 ]"
while read -r name; do
    warpbook explain "$name"
    judge 0 silent "Also called" not-out "No term" || echo "$name"
done <"$TMPDIR/counters" >"$TMPDIR/unknown"
test_that "every counter that sim --json prints is a term" test ! -s "$TMPDIR/unknown"

warpbook explain "x[i] = warp * lane;"
expect "terms are found within words" 0 silent "No term is called" "A warp is" "A lane is"
warpbook explain xyzzyxyzzy
expect "what is near nothing is said on stderr" 1 err "No term is near 'xyzzyxyzzy'" "'warpbook explain' lists them all"
test_that "and nothing is printed" test ! -s "$out"

warpbook explain 合并
expect "a term has its Chinese name" 0 silent "coalescing Coalescing is" "Try" "Also called" "合并访问"
warpbook explain 什么是线程束
expect "which is found within a sentence" 0 silent "warp A warp is" "Also called"
test_that "and set within 80 columns" sh -c "! grep -E '.{81}' '$out'"

warpbook explain
expect "explain alone lists every term with its sentence" 0 silent "warp" "A warp is a group of 32 threads" "occupancy"
test_that "the list has every term" sh -c \
    "[ \$(grep -c '^  [^ ]' '$out') = \$(ls lessons/glossary/*.md | wc -l) ]"
test_that "the list fits 80 columns" sh -c "! grep -E '.{81}' '$out'"

warpbook explain "$(printf 'a\033[31mb')"
expect "what was asked for cannot steer the terminal" 1 err "No term is near"

WARPBOOK_DATA=/nonexistent warpbook explain warp
expect "without the files it says what is missing" 3 err "Cannot read the folder"

refuses "one word too many" explain a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a
