#!/bin/sh
# report: the workbook as Markdown and as one HTML page, printed or written into a file.
set -u
. tests/expect.sh
export TZ=UTC SOURCE_DATE_EPOCH=1772928000

# Lessons of the tests' own, so that nothing here depends on what the lessons that ship say.
WARPBOOK_DATA=$TMPDIR/data
mkdir -p "$WARPBOOK_DATA/lessons"
ln -s "$ROOT/kernels" "$ROOT/assets" "$WARPBOOK_DATA"
ln -s "$ROOT"/tests/data/lessons/0* "$ROOT"/tests/data/lessons-tasks/0* "$ROOT"/tests/data/lessons-challenge/0* \
    "$WARPBOOK_DATA/lessons"
export WARPBOOK_DATA

page=$TMPDIR/report.html
book=$WARPBOOK_HOME/workbook.jsonl

warpbook report
expect "an empty workbook says how to begin" 0 silent "# Workbook" "Nothing is written here yet." \
    "warpbook open lesson 1" not-out "Summary"
warpbook report --html
expect "also as a page" 0 silent "<!DOCTYPE html>" "Nothing is written here yet." "</html>"

about='"lesson":"02-questions","id"'
run='"kind":"run","lab":"vecadd","preset":"full","data":"uniform"'
cat >"$book" <<END
{"kind":"lesson","date":"2026-03-02T08:00:00Z","lesson":"02-questions"}
{"kind":"answer","date":"2026-03-02T08:01:00Z",$about:"one","chosen":[3],"right":false}
{"kind":"answer","date":"2026-03-02T08:02:00Z",$about:"one","chosen":[2],"right":true}
{"kind":"predict","date":"2026-03-02T08:03:00Z",$about:"offset","number":4.9}
{"kind":"answer","date":"2026-03-02T08:03:10Z",$about:"offset","right":true,"came":[5.0],"how":"simulated","ratio":1.0204}
{"kind":"predict","date":"2026-03-02T08:04:00Z",$about:"slower","chosen":1,"text":"stride 8"}
{"kind":"answer","date":"2026-03-02T08:04:10Z",$about:"slower","right":false,"came":[0.7,1.5],"how":"recorded on A GPU, 2026-01-01"}
{"kind":"hint","date":"2026-03-03T08:00:00Z","lesson":"04-tasks","id":"double","hint":1,"asked_solution":true}
{"kind":"answer","date":"2026-03-03T08:01:00Z","lesson":"04-tasks","id":"double","right":true,"asked_solution":true,"hints":1}
{$run,"date":"2026-03-03T09:00:00Z","variant":"plain","backend":"cpu","status":"right","median_ms":50,"device":"A CPU"}
{$run,"date":"2026-03-03T09:01:00Z","variant":"3-thread-per-element","backend":"gpu","status":"right","median_ms":0.5,"device":"A GPU","code":"1"}
{"kind":"note","date":"2026-03-03T09:02:00Z","text":"<script>alert(1)</script> a|b \`c\` \\u001b[31m\\u0007"}
torn
END

warpbook report --name 'Ada L.'
expect "it tells what was done, when and where" 0 silent "# Workbook of Ada L." "From 2026-03-02 to 2026-03-03, on 2 days." \
    "on 2026-03-08." "1 line of the workbook's file cannot be read" "- GPU A GPU: 1 run, measured" \
    "| 2 Questions | 3 of 7 | 1 of 2 | 0 of 1 |" "| then 32: right |" "| nearly: off by 2.0 % |" \
    "| stride 32 (0.700 ms; 1.500 ms) | recorded on A GPU, 2026-01-01 | not so |" \
    "| yes, on try 1, 2026-03-03 | 1 of 3 | yes, before it was solved, 2026-03-03 |" "| 0.500 ms | 100 |" \
    "(not the kernel that ships)" "GPU 3-thread-per-element ███" \
    "- 2026-03-03: \\<script\\>alert(1)\\</script\\> a\\|b \\\`c\\\` \\<U+001B\\>\\[31m\\<U+0007\\>"
cp "$out" "$TMPDIR/first"
warpbook report --name 'Ada L.'
test_that "the same workbook gives the same text" cmp -s "$out" "$TMPDIR/first"
LC_ALL=C warpbook report --name 'Ada L.'
test_that "in every locale" cmp -s "$out" "$TMPDIR/first"

warpbook report --html --name 'A & <b>'
expect "a page has its charts in it, and escapes what it quotes" 0 silent "<title>Workbook of A &amp; &lt;b&gt;</title>" \
    "<svg " "<desc " "CPU plain: 50.00 ms; GPU 3-thread-per-element: 0.500 ms." "&lt;script&gt;alert(1)" \
    not-out "<script" "http-equiv=\"refresh" "src="
if command -v xmllint >/dev/null; then
    test_that "the page is well-formed" xmllint --noout "$out"
else
    echo "skip well-formed no xmllint"
fi
warpbook report --name "$(printf 'a\377\033[1m\nb')"
expect "a name is text" 0 silent "# Workbook of a?\\<U+001B\\>\\[1m b"

warpbook report --lesson questions
expect "one lesson alone" 0 silent "This is lesson 2 alone" "## Lesson 2" not-out "Lesson 4" "vecadd"
warpbook report --lesson 4
expect "and by its number" 0 silent "## Lesson 4" not-out "Lesson 2:" "stride 8"
mkdir -p "$WARPBOOK_HOME/lessons/04-tasks"
printf '// mine: a < b && c\n' >"$WARPBOOK_HOME/lessons/04-tasks/mine.cu"
sed 's/^extern/\/\/ mine too\n&/' kernels/vecadd/1-*.cu | own_copy vecadd/"$(basename kernels/vecadd/1-*.cu)"
warpbook report --kernels
expect "the kernels of one's own" 0 silent "### Lesson 4, double" "// mine: a < b && c" "### vecadd/1-" "// mine too"
warpbook report --kernels --html --lesson 4
expect "of one lesson, and escaped" 0 silent "<pre><code class=\"language-cuda\">// mine: a &lt; b &amp;&amp; c" not-out "mine too"
warpbook report
expect "only when they are asked for" 0 silent not-out "mine:"

refuses "There is no lesson '77'. 'warpbook lesson' lists them." report --lesson 77
refuses "'report' has no flag --htm. Did you mean --html?" report --htm
refuses "--force needs --to FILE." report --force

# ---- into a file ------------------------------------------------------------------------------------------------

warpbook report --html --to "$page"
expect "it is written into a file" 0 silent "Written to $page."
test_that "whole" sh -c "head -n 1 '$page' | grep -q DOCTYPE && tail -n 1 '$page' | grep -q '</html>'"
cp "$page" "$TMPDIR/kept"
refuses "$page already exists; nothing was changed. Use another name, or replace it with --force." report --to "$page"
test_that "what was there stays" cmp -s "$page" "$TMPDIR/kept"
warpbook report --to "$page" --force
expect "--force replaces it" 0 silent "Written to"
test_that "with the new text" grep -q '^# Workbook' "$page"
test_that "and leaves nothing beside it" sh -c "[ \$(ls '$TMPDIR' | grep -c '^report') = 1 ]"
refuses "$TMPDIR is not an ordinary file, so nothing was written." report --to "$TMPDIR" --force
refuses "--to needs the name of a file." report --to ""
warpbook report --to "$TMPDIR/nowhere/report.md"
expect "a place where nothing can be written is named, with what to do" 3 err \
    "Cannot write $TMPDIR/nowhere/report.md: No such file or directory." "Give --to a file in a folder"
if [ -w /dev/full ]; then
    "$WARPBOOK" report >/dev/full 2>"$err"
    status=$?
    : >"$out"
    expect "a full disk is a failure" 3 err "The output could not be written in full."
fi
SOURCE_DATE_EPOCH=soon
refuses "SOURCE_DATE_EPOCH is a number of seconds, not 'soon'." report
SOURCE_DATE_EPOCH=1772928000

rm -f "$book"
mkdir -p "$book"
warpbook report
expect "a workbook that cannot be read is a failure" 3 err "warpbook: "
test_that "and nothing is printed" [ ! -s "$out" ]

# ---- challenges

rm -rf "$book"

tried='"lesson":"06-challenge","id":"sum","clean":true,"limits":[{"what":"loads for each int","most":0.04,"got":0.03}]'
cat >"$book" <<END
{"kind":"answer","date":"2026-03-02T08:31:00Z",$tried,"right":true}
{"kind":"attempt","date":"2026-03-03T08:31:00Z",$tried,"right":true,"ms":0.5,"ceiling_pct":61.5}
END
warpbook report
expect "the attempts at a challenge are in the report" 0 silent "### Challenges" \
    "| \`sum\` | 2026-03-02 08:31 | accepted | | | 0.03 | loads for each int |" \
    "| \`sum\` | 2026-03-03 08:31 | best | 0.500 ms | 61.5 % | 0.03 | loads for each int |"
warpbook report --html
expect "and in the page" 0 silent "61.5 %" "</html>"
