#!/bin/sh
# workbook and note: what one predicted, answered, ran and wrote down.
set -u
. tests/expect.sh
export TZ=UTC

book=$WARPBOOK_HOME/workbook.jsonl
events() { # events LINE...: the workbook holds these
    mkdir -p "$WARPBOOK_HOME"
    printf '%s\n' "$@" >"$book"
}
in_order() { # in_order A B: A comes before B
    [ "$(grep -n -m1 "$1" "$out" | cut -d: -f1)" -lt "$(grep -n -m1 "$2" "$out" | cut -d: -f1)" ]
}

warpbook workbook
expect "an empty workbook says how something gets into it" 0 silent "Nothing is written here yet." "'note WORDS'"
warpbook note banks count from 0
expect "note says that it is written" 0 silent "Written into your workbook."
warpbook note -- "--size is a flag"
warpbook note "-5 degrees" -7.5
expect "numbers below 0 and several words in one are no flags" 0 silent "Written"
warpbook workbook
expect "notes are there" 0 silent "3 notes." "banks count from 0" "--size is a flag" "-5 degrees -7.5"
test_that "the newest comes first" in_order "a flag" "banks count"
test_that "the file has a line for each" sh -c "[ \$(wc -l <'$book') = 3 ]"

run='"kind":"run","lab":"histogram","variant":"3-shared","backend":"gpu","preset":"full"'
events "{$run,\"date\":\"2026-03-02T08:31:00Z\",\"median_ms\":1.84,\"status\":\"right\",\"code\":\"a\"}" \
    "{$run,\"date\":\"2026-03-02T09:31:00Z\",\"median_ms\":0.92,\"status\":\"wrong\",\"code\":\"b\"}" \
    '{"kind":"run","date":"2026-03-02T09:32:00Z","lab":"histogram","variant":"plain","backend":"cpu","status":"right","median_ms":402.7}' \
    '{"kind":"predict","date":"2026-03-03T10:00:00Z","lesson":"06-coalescing","id":"stride","chosen":2,"text":"8 sectors"}' \
    '{"kind":"answer","date":"2026-03-03T10:01:00Z","lesson":"06-coalescing","id":"stride","right":true,"came":[8.0],"how":"simulated"}' \
    '{"kind":"answer","date":"2026-03-03T10:02:00Z","lesson":"06-coalescing","id":"lines","order":[2,1],"right":false}' \
    '{"kind":"answer","date":"2026-03-03T10:03:00Z","lesson":"06-coalescing","id":"columns","right":false,"text":"a[3] is 1. It should be 2."}' \
    '{"kind":"attempt","date":"2026-03-03T10:04:00Z","lesson":"06-coalescing","id":"columns","right":true,"text":"accepted","limits":[{"what":"sectors a load","most":4.1,"had":16.0,"got":4.0,"share":0.25,"of":"traffic"},{"what":"lanes","least":24.0,"had":32.0,"got":32.0}]}' \
    'torn' '{"kind":"something new","date":"x"}'
warpbook workbook
expect "every kind of event is shown" 0 silent "3 runs, 1 prediction (1 right), 2 answers." \
    "One line of the workbook's file cannot be read" "Monday 2026-03-02" "08:31 run histogram/3-shared gpu full 1.840 ms right" \
    "0.920 ms wrong" "prediction 06-coalescing stride: 8 sectors" "outcome 06-coalescing stride: 8, simulated; right" \
    "06-coalescing lines: 2 1; not right" \
    "columns: a[3] is 1. It should be 2; not right" \
    "attempt 06-coalescing columns: accepted; right • sectors a load: 16.0, yours 4.0, at most 4.1; a quarter of the traffic" \
    "something new" "Without a date" not-out "lanes"
test_that "it fits 80 columns" sh -c "! grep -E '.{81}' '$out'"
test_that "newest first" in_order 10:02 08:31

warpbook workbook answers
expect "answers alone, and the attempts after them" 0 silent "2 answers." "attempt" "2 1; not right" not-out "histogram" "8 sectors"
warpbook workbook answers 06-coalescing/columns
expect "a task's attempts have a chart of each limit" 0 silent "1 answer to 06-coalescing/columns." \
    "sectors a load, at most 4.1 as it shipped 16 ██████████████████████████████ 2026-03-03 10:04 4 ███████▌" "✓" "lanes, at least 24" \
    not-out "order"
warpbook workbook answers 06-coalescing/nothing
expect "a task without an answer says so" 0 silent "There is no answer to 06-coalescing/nothing."
cp "$book" "$book.all"
events '{"kind":"answer","date":"2026-03-03T10:03:00Z","lesson":"06-coalescing","id":"apart","right":true,"text":"accepted","timed":"n = 4096","ms":0.5,"had_ms":0.5,"limits":[{"what":"sectors a load","most":4.1,"had":16.0,"got":4.0,"share":0.25,"of":"traffic"}]}' \
    '{"kind":"answer","date":"2026-03-03T10:04:00Z","lesson":"06-coalescing","id":"columns","right":true,"text":"accepted","timed":"n = 4096","ms":0.1,"had_ms":0.4}'
warpbook workbook
expect "the clock outweighs the counters" 0 silent \
    "Your first speed-up: 06-coalescing columns, time on the GPU with n = 4096: 0.400 ms, yours 0.100 ms; 4.0 times as fast." \
    "apart: accepted; right • time on the GPU with n = 4096: 0.500 ms, yours 0.500 ms; as fast as before"
mv "$book.all" "$book"
warpbook workbook
expect "the first change that saved something is there" 0 silent \
    "Your first speed-up: 06-coalescing columns, in the simulator; sectors a load: 16.0, yours 4.0, at most 4.1; a quarter of the traffic."
warpbook report
expect "in the report as well, which knows attempts" 0 silent \
    "The first speed-up: 06-coalescing columns, in the simulator; sectors a load: 16.0, yours 4.0, at most 4.1; a quarter of the" not-out "| attempt |"
warpbook workbook predict
expect "predictions are beside what they came to" 0 silent "8 sectors" "simulated" not-out "2 1"
warpbook workbook notes
expect "a kind with nothing in it says so" 0 silent "Nothing of this kind"
warpbook workbook runs histogram/shared
expect "runs of one variant over time" 0 silent "2 runs of histogram/shared." "2026-03-02 09:31 gpu full 0.920 ms" \
    "wrong, code changed" "█" not-out "402.7"
for name in histogram/3 histogram/3-shared; do
    warpbook workbook runs $name
    expect "$name names it as well" 0 "2 runs of $name."
done
warpbook workbook runs histogram
expect "all runs of a lab" 0 silent "3 runs of histogram." "histogram/plain"
warpbook workbook runs hist
expect "a lab that has none says so" 0 silent "There is no run of hist."

# ---- the board of a challenge

events '{"kind":"answer","date":"2026-03-02T08:31:00Z","lesson":"08-reduction","id":"sum","right":true}'
warpbook workbook board
expect "an answer that is no attempt at a challenge is not on the board" 0 silent "No attempt at a challenge has come out right"
limits='"clean":true,"limits":[{"what":"loads for each int","most":0.04,"got":0.03}]'
events "{\"kind\":\"answer\",\"date\":\"2026-03-02T08:31:00Z\",\"lesson\":\"08-x\",\"id\":\"sum\",\"right\":true,$limits}" \
    "{\"kind\":\"attempt\",\"date\":\"2026-03-03T08:31:00Z\",\"lesson\":\"08-x\",\"id\":\"sum\",\"right\":true,\"ms\":0.5,\"ceiling_pct\":61.5,$limits}" \
    "{\"kind\":\"answer\",\"date\":\"2026-03-01T08:31:00Z\",\"lesson\":\"06-x\",\"id\":\"sum\",\"right\":false,$limits}"
warpbook workbook board
expect "every challenge has its attempts, with the best marked" 0 silent "06-x sum" "2026-03-01 08:31 missed another 0.03" "08-x sum" \
    "2026-03-02 08:31 accepted 0.03" "2026-03-03 08:31 best 0.500 ms 61.5 % 0.03" not-out "No attempt"
test_that "the one with the newest attempt first" in_order "06-x sum" "08-x sum"

refuses "The workbook has no 'nonsense'; it has all, predictions, answers, runs, edits, notes and board." workbook nonsense
refuses "Only runs and answers are shown for one thing" workbook notes histogram
refuses "Answers are those to LESSON/QUESTION" workbook answers 06-coalescing
refuses "needs one more word" note
refuses "A note needs words" note ""
refuses "A note needs words" note "   "
refuses "'note' has no flag -v" note -v
refuses "A note must be UTF-8" note "$(printf 'a\377b')"

events "{\"kind\":\"note\",\"date\":\"2026-03-02T08:31:00Z\",\"text\":\"a\\u001b[31mred\\u0007 b\"}" \
    "{\"kind\":\"run\",\"lab\":[],\"variant\":7,\"median_ms\":\"x\",\"findings\":{},\"date\":{}}" '{"kind":"answer","right":"x","came":{}}'
warpbook workbook
expect "whatever is in the file is shown or left out, and steers nothing" 0 silent "a<U+001B>[31mred<U+0007> b"

chmod 444 "$book"
if [ "$(id -u)" = 0 ]; then
    echo "skip read-only root"
else
    for command in "workbook" "report" "review --list" "lesson"; do
        # shellcheck disable=SC2086
        warpbook $command
        test_that "$command shows what cannot be added to, and says why once" sh -c \
            "[ $status = 0 ] && [ \$(cat '$out' '$err' | tr '\n' ' ' | grep -o 'Nothing can be added to the workbook' | wc -l) = 1 ]"
    done
    warpbook note x
    expect "a note is not kept there" 3 err "This could not be written into the workbook" "Permission denied"
fi

rm -f "$book"
mkdir -p "$book"
warpbook note x
expect "a note that cannot be kept is a failure" 3 err "warpbook: "
warpbook workbook
expect "and so is a workbook that cannot be read" 3 err "warpbook: "
