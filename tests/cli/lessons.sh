#!/bin/sh
# The lessons and terms that ship keep what they promise: every skeleton, solution and wrong answer is run in the
# simulator, and every number that is asked for is computed again.
# Parts: lessons/glossary lessons/[0-9]*
set -u
. tests/expect.sh
part=$1

if [ "$part" = lessons/glossary ]; then
    warpbook check --fast
    expect "what ships is sound, as far as it can be read" 0 silent "No errors; no kernel was run."
fi
if grep -qs '^program:' "$part/lesson.md" && ! programs_run; then
    echo "skip exercises $why_"
elif can_compile; then
    warpbook check "$part"
    expect "its exercises, predictions and orders come out as they say" 0 silent "No errors." not-out "It takes about"
    "$BUILD/test/lesson_numbers" "$part" >"$out" 2>"$err"
    status=$?
    expect "its numbers come out as it says" 0 silent "0 errors"
else
    echo "skip exercises no-compiler"
fi
