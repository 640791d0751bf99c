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
    warpbook lesson "$(basename "$(dirname "$lesson")")" --all
    expect "$lesson is printed" 0 silent "Afterwards you can"
    test_that "$lesson fits 80 columns" narrow 80
done

WARPBOOK_DATA=$TMPDIR/data
export WARPBOOK_DATA

warpbook lesson
expect "lesson lists the lessons with how far one is" 0 silent "1 Every kind of text" "10 minutes, 0 of 7" \
    "Next Lesson 1: Every kind of text" "'warpbook open lesson N'"
warpbook lesson 1
expect "a lesson is its text" 0 silent "links to a warp" "elsewhere (https://example.org/page)" \
    "stride sectors of each" "plain text" not-out "Instructor" "term:"
warpbook lesson 1 --notes
expect "an instructor sees the notes" 0 silent "Instructor: Three minutes." not-out "bug hunts take"
warpbook lesson 3 --notes
expect "and how many minutes tasks take" 0 silent "Instructor: exercises and bug hunts take 5 of these minutes."
warpbook lesson questions
expect "what follows an open question is folded, but for the headings" 0 silent "How many lanes has a warp?" \
    "( ) 32" "folded until this is answered" "Several are right" "--all prints" not-out "[ ] 3" "It is 32"
test_that "it fits 80 columns" narrow 80
test_that "and the workbook does not say so" [ -z "$(grep 02-questions "$WARPBOOK_HOME/workbook.jsonl")" ]
warpbook lesson questions --all
expect "questions are there with their choices, and without their answers" 0 silent "How many lanes has a warp?" \
    "( ) 32" "[ ] 3" not-out "It is 32" "The odd ones" "Half of each sector" "folded"
test_that "it fits 80 columns" narrow 80
warpbook lesson 3 --all
expect "labs, pictures and tasks say how to begin" 0 silent "warpbook run coalescing" "warpbook explore banks stride=2" \
    "Each lane reads" "__syncwarp" "race.cu"
refuses "There is no lesson '4'. 'warpbook lesson' lists them." lesson 4
refuses "Did you mean 02-questions?" lesson 02-question
refuses "one word too many" lesson 1 2

echo '{"kind":"answer","date":"2026-01-01T12:00:00Z","lesson":"02-questions","id":"one","right":true}
{"kind":"unfold","date":"2026-01-01T12:01:00Z","lesson":"02-questions","id":"several","text":"read on"}
{"kind":"unfold","date":"2026-01-01T12:02:00Z","lesson":"02-questions","id":"## Predictions","text":"read on"}
{"kind":"answer","date":"2026-01-01T12:03:00Z","lesson":"02-questions","id":"several","chosen":[1,3],"right":true}' \
    >"$WARPBOOK_HOME/workbook.jsonl"
warpbook lesson questions
expect "an answer unfolds, and so does reading on" 0 silent "How many bytes has a float?" \
    "folded until this is answered" "sectors does a load touch" not-out "offset of one"
warpbook report --lesson questions
expect "which the report says" 0 silent \
    "Read on without an answer: past \`several\` 2026-01-01, to \`Predictions\` 2026-01-01." \
    "right after reading on" not-out "Also in the workbook"
warpbook workbook
expect "and the workbook" 0 silent "02-questions several: read on"
warpbook lesson questions --all
warpbook workbook
expect "with what is printed without an answer" 0 silent "02-questions: printed with --all"
rm "$WARPBOOK_HOME/workbook.jsonl"

# ---- parts

parts=$TMPDIR/parts
mkdir "$parts"
ln -s "$ROOT/kernels" "$ROOT/assets" "$parts"
ln -s "$ROOT/tests/data/lessons-parts" "$parts/lessons"
WARPBOOK_DATA=$parts
warpbook lesson
expect "the list has a row for each part, and names the one to go on with" 0 silent "6 Three parts 6 minutes, 0 of 5" \
    "6.1 Lanes 2 minutes, 0 of 2" "6.3 Blocks 2 minutes, 0 of 1" "Lesson 6.1: Lanes, 2 minutes" "N.2"
warpbook lesson 6 --all
expect "a lesson has all of them" 0 silent "6 minutes in 3 parts" "Part 1 of 3" "Part 3 of 3" "lanes become warps" \
    not-out "Next:"
warpbook lesson 6.1
expect "the first part has what precedes it, and says what comes next" 0 silent "Three parts" "Afterwards you can" \
    "How many bits" "Next: warpbook lesson 6.2, Warps, 2 minutes" not-out "Part 2 of 3"
rm -f "$WARPBOOK_HOME/workbook.jsonl"
warpbook lesson 6.2
expect "a part is read although the one before it is open" 0 silent "Part 2 of 3" "How many warps" \
    not-out "Afterwards" "How many bits" "become blocks"
warpbook report --lesson 6
expect "which the report says, beside how far each part is" 0 silent "Read on without an answer: to \`Warps\`" \
    "| 6.1 Lanes | 2 | 0 of 2 |" "| 6.2 Warps | 2 | 0 of 2 |"
for word in 06-parts.3 parts.3 "$ROOT/tests/data/lessons-parts/06-parts.3"; do
    warpbook lesson "$word" --all
    expect "$word is the third part" 0 silent "Part 3 of 3" "The smallest first" not-out "Part 2 of 3" "Next:"
done
for word in 6.4 6.0 6. 6.x 6.-1 6.99999999999999999999 parts.9; do
    refuses "There is no '$word'. The parts of lesson 6: 1 Lanes; 2 Warps; 3 Blocks." lesson $word
done
refuses "There is no lesson '5'" lesson 5.1
refuses "There is no lesson '6.1.1'" lesson 6.1.1
refuses "A report is about a whole lesson: --lesson 6." report --lesson 6.2
WARPBOOK_DATA=$TMPDIR/data
refuses "There is no '2.1': lesson 2 has no parts." lesson 2.1
rm -f "$WARPBOOK_HOME/workbook.jsonl"

# ---- lessons of one's own

unset WARPBOOK_DATA
next=$(($(ls -d "$ROOT"/lessons/[0-9]* | wc -l) + 1)) # the number of the first lesson that does not ship
moved=$((next + 1))
(cd "$TMPDIR" && "$WARPBOOK" new lesson mine) >"$out" 2>"$err"
status=$?
expect "a new lesson says how it is taken" 0 silent "$next-mine/lesson.md" "warpbook check $next-mine" \
    "warpbook open lesson ./$next-mine" "Moved into $WARPBOOK_HOME/lessons"
warpbook lesson "$TMPDIR/$next-mine" --all
expect "a lesson's folder is a lesson" 0 silent "$next mine" "Let each thread add one element."
warpbook lesson "$TMPDIR/$next-mine/lesson.md"
expect "and so is the file in it" 0 silent "$next mine"
refuses "There is no lesson in $TMPDIR: it is a folder NN-name" lesson "$TMPDIR"
refuses "There is no lesson '$next'." lesson $next
echo '{"kind":"lesson","date":"2026-01-01T12:00:00Z","lesson":"'"$TMPDIR"'/'"$next"'-mine","title":"mine"}' >"$WARPBOOK_HOME/workbook.jsonl"
warpbook lesson $next
expect "once opened it is known by its number" 0 silent "$next mine"
warpbook report --lesson "$TMPDIR/$next-mine"
expect "and to the report" 0 silent "## Lesson $next: mine" "Opened 1 time" not-out "Also in the workbook"
mv "$TMPDIR/$next-mine" "$TMPDIR/$moved-mine"
warpbook report
expect "which copes with one that is gone" 0 silent "Also in the workbook" "$TMPDIR/$next-mine" not-out "## Lesson $next"
warpbook lesson
expect "as the list does" 0 silent "Your own kernel" not-out "mine"

mkdir -p "$WARPBOOK_HOME/lessons"
cp -R "$TMPDIR/$moved-mine" "$WARPBOOK_HOME/lessons/03-mine"
cp -R "$TMPDIR/$moved-mine" "$WARPBOOK_HOME/lessons/90-torn"
cp -R "$TMPDIR/$moved-mine" "$WARPBOOK_HOME/lessons"
echo "no lesson" >"$WARPBOOK_HOME/lessons/90-torn/lesson.md"
warpbook lesson
expect "those of the own folder follow what ships, one with an error too" 0 silent "12 Your own kernel" \
    "3 mine" "own/03-mine" "own/$moved-mine" "own/90-torn $WARPBOOK_HOME/lessons/90-torn/lesson.md:1:" "Next Lesson 1"
test_that "it fits 80 columns" narrow 80
warpbook lesson 3
expect "what ships comes first by its number" 0 silent "3 SMs and warps"
for name in own/03-mine 03-mine mine; do
    warpbook lesson "$name"
    expect "$name is one's own" 0 silent "3 mine"
done
warpbook lesson $moved
expect "a number that is free is one's own" 0 silent "$moved mine"
warpbook lesson 90
expect "one with an error says it" 2 err "90-torn/lesson.md:1:"
refuses "--notes comes after a lesson" lesson --notes
