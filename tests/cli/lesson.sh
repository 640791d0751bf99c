#!/bin/sh
# The plain twin of the lesson page: the list, a lesson's text, questions with their choices and without their answers.
set -u
. tests/expect.sh

mkdir "$TMPDIR/data"
ln -s "$ROOT/kernels" "$ROOT/assets" "$TMPDIR/data"
ln -s "$ROOT/tests/data/lessons" "$TMPDIR/data/lessons"

narrow() { # narrow CELLS: no line is wider, and none ends in a blank
    ! grep -E ".{$(($1 + 1))}" "$out"
}

for lesson in lessons/*/lesson.md; do
    warpbook lesson "$(basename "$(dirname "$lesson")")"
    expect "$lesson is printed" 0 silent "minutes. Afterwards you can"
    test_that "$lesson fits 80 columns" narrow 80
done

WARPBOOK_DATA=$TMPDIR/data
export WARPBOOK_DATA

warpbook lesson
expect "lesson lists the lessons with how far one is" 0 silent "1 Every kind of text" "0 of 7 answered" \
    "Next Lesson 1: Every kind of text" "'warpbook open lesson N'"
warpbook lesson 1
expect "a lesson is its text" 0 silent "links to a warp" "elsewhere (https://example.org/page)" \
    "stride sectors of each" "plain text" not-out "Instructor" "term:"
warpbook lesson 1 --notes
expect "an instructor sees the notes" 0 silent "Instructor: Three minutes."
warpbook lesson questions
expect "questions stand there with their choices, and without their answers" 0 silent "How many lanes has a warp?" \
    "( ) 32" "[ ] 3" not-out "It is 32" "The odd ones" "Half of each sector"
test_that "it fits 80 columns" narrow 80
warpbook lesson 3
expect "labs, pictures and tasks say how to begin" 0 silent "warpbook run coalescing" "warpbook explore banks stride=2" \
    "Each lane reads" "__syncwarp" "race.cu"
refuses "There is no lesson '4'. 'warpbook lesson' lists them." lesson 4
refuses "Did you mean 02-questions?" lesson 02-question
refuses "one word too many" lesson 1 2
