#!/bin/sh
# review: questions that were answered are asked again on their day. 2001 is due, 2999 is not.
set -u
. tests/expect.sh
export TZ=UTC

mkdir "$TMPDIR/data"
ln -s "$ROOT/kernels" "$ROOT/assets" "$TMPDIR/data"
ln -s "$ROOT/tests/data/lessons" "$TMPDIR/data/lessons"
export WARPBOOK_DATA="$TMPDIR/data"

book=$WARPBOOK_HOME/workbook.jsonl
mkdir -p "$WARPBOOK_HOME"

empty() {
    : >"$book"
}
was() { # was DAY ID true|false [MORE]: an answer of that day
    echo "{\"kind\":\"answer\",\"date\":\"$1T12:00:00Z\",\"lesson\":\"02-questions\",\"id\":\"$2\",\"right\":$3${4:-}}" >>"$book"
}
learned() { # learned ID
    was 2001-01-01 "$1" false
    for day in 01-02 01-05 01-12 02-02; do
        was "2001-$day" "$1" true
    done
}
came() { # came ID: a prediction whose runs came out
    case $1 in
    stride) was 2001-01-01 stride false ',"came":[8.0],"how":"simulated"' ;;
    offset) was 2001-01-01 offset false ',"came":[5.0],"how":"simulated"' ;;
    slower) was 2001-01-01 slower false ',"came":[0.5,1.6],"how":"recorded on Test, 2001-01-01"' ;;
    esac
}
answers() { # answers FLAGS LINE...: each line is typed; FLAGS may be ""
    flags=$1
    shift
    # shellcheck disable=SC2086
    printf '%s\n' "$@" | "$WARPBOOK" review $flags >"$out" 2>"$err"
    status=$?
}
last() { # last TEXT: the newest event holds it
    tail -n 1 "$book" | grep -qF -- "$1"
}
events() { # events COUNT: so many
    [ "$(wc -l <"$book")" = "$1" ]
}
unkept() { # unkept COUNT: nothing was added to so many
    events "$1" && ! grep -q '"review"' "$book"
}
in_order() { # in_order A B
    [ "$(grep -n -m1 "$1" "$out" | cut -d: -f1)" -lt "$(grep -n -m1 "$2" "$out" | cut -d: -f1)" ]
}

# ---- nothing to ask

warpbook review
expect "without wrong answers it says how they come here" 0 silent "There is nothing to review yet." "comes back the next day"
warpbook review --list
expect "and so does the list" 0 silent "There is nothing to review yet."
empty
was 2999-01-01 one false
warpbook review
expect "with nothing due it says when" 0 silent "Nothing is due today. One question comes again in" "on 2999-01-02" "--all"
was 2999-02-01 typed false
warpbook review
expect "the next of several" 0 silent "2 questions come again, the next one in" "on 2999-01-02"
empty
learned one
warpbook review
expect "what is learned comes no more" 0 silent "Nothing is left to review: all 1 question"
warpbook review --all
expect "not even with all" 0 silent "Nothing is left to review"

# ---- what is due

empty
was 2001-01-01 one false ',"chosen":[1]'
answers "" 2
expect "a right answer" 0 silent "1 question is due." "1 of 1 · Lesson 2: Questions · One is right" \
    "How many lanes has a warp? 1 16 2 32 3 64, or as many" "Your choice, 1 to 3: 2" "✓ right" "It is 32 on every GPU" \
    "It comes again in 3 days" "1 answered: 1 right, 0 wrong." not-out "term:" "not right"
test_that "it is in the workbook as an answer of a review" last '"chosen":[2],"right":true,"lesson":"02-questions","id":"one","review":true'
test_that "it fits 80 columns" sh -c "! grep -E '.{81}| \$' '$out'"
warpbook review
expect "it is not asked twice" 0 silent "Nothing is due today. One question comes again in 3 days"
warpbook workbook
expect "the workbook shows it" 0 silent "review 02-questions one: 2; right"
warpbook lesson
expect "it leaves the lesson as it was" 0 silent "10 minutes, 0 of 7"

empty
was 2001-01-01 one false
answers "" 3
expect "a wrong answer" 0 silent "✗ not right" "right: 2 32" "It is 32 on every GPU" "It comes again tomorrow" \
    "1 answered: 0 right, 1 wrong." "Nothing is due today."
test_that "it starts over" last '"right":false'

empty
learned several
was 2001-05-01 several false
was 2001-05-02 one false
was 2001-05-03 one true
was 2001-05-06 one true
was 2001-05-13 one true
answers "" "3,1" 2
expect "several can be right, and the last step is the end" 0 silent "1 of 2" "All right choices, of 1 to 3: 3,1" \
    "✓ right" "It comes again in 3 days" "You have learned this" "2 answered: 2 right"
empty
was 2001-01-01 several false
answers "" 1
expect "but then all of them" 0 silent "✗ not right" "right: 1 1" "right: 3 3"
empty
was 2001-01-01 typed false
answers "" " 4.0 "
expect "a number is typed as on the page" 0 silent "✓ right"
empty
was 2001-01-01 typed false
answers "" four "= 4 bytes"
expect "with its unit too, and a word is none" 0 silent "Type a number." "✓ right" "1 answered: 1 right, 0 wrong."

empty
came stride
came offset
came slower
answers "" 1 5.1 2
expect "predictions are judged by what came then" 0 silent "predicted 4 sectors per request" "simulated 8 sectors per request" \
    "✗ not so" "right: 2 8" "It comes again tomorrow" "✓ nearly: off by 2.0 %" "recorded on Test, 2001-01-01" \
    "3 answered: 2 right, 1 wrong."
empty
was 2001-01-01 told false
was 2001-01-01 stride false
answers "" "?"
expect "'?' shows the answer; a prediction that nobody can judge is not asked" 0 silent "1 question is due." \
    "right: 1,024 threads" "1 answered: 0 right, 1 wrong."
test_that "and is in the workbook" last '"shown":true'

# ---- reasons, and what was right at once

mkdir -p "$WARPBOOK_HOME/lessons/20-own"
cat >"$WARPBOOK_HOME/lessons/20-own/lesson.md" <<'END'
---
title: Own
minutes: 5
after: say why not
---

# Own

```quiz id=why
ask: How many lanes?
choice: 16
not: That is *half* of them.
choice: 32
right: 2
```

```quiz id=bytes
ask: How many bytes has a double?
right: 8
not: 4: That is a float.
```

```quiz id=ticks
ask: Which are odd?
choice: 2
not: Two is even.
choice: 3
choice: 4
not: Four is even.
choice: 5
right: 2
right: 4
```

```predict id=guess
ask: How many?
choice: 1
not: One is too few.
choice: 2
right: 2
```
END
own() { # own ID true|false: an answer to a question of that lesson
    echo "{\"kind\":\"answer\",\"date\":\"2001-01-01T12:00:00Z\",\"lesson\":\"own/20-own\",\"id\":\"$1\",\"right\":$2${3:-}}" >>"$book"
}
empty
own why false
own ticks false
own guess false
answers "" 1 "1 2 3" 1
expect "each wrong choice says why it is wrong" 0 silent "not 1: That is half of them." "not 1: Two is even." \
    "not 3: Four is even." "not 1: One is too few." "right: 2 32"
empty
own bytes false
answers "" 4
expect "so does a wrong number" 0 silent "not this: That is a float." "right: 8"
empty
own why false
answers "" 2
expect "a right answer has no reasons" 0 silent "✓ right" not-out "not 1:"
empty
own why true
was 2001-01-02 one false
own ticks true
was 2001-01-01 typed true
answers "" 2 4 2 "2 4"
expect "what was right at once comes after what was wrong, mixed over the lessons" 0 silent "4 questions are due." \
    "1 of 4 · Lesson 2" "2 of 4 · Lesson 2: Questions · One types" "3 of 4 · Lesson 20" "4 of 4 · Lesson 20" \
    "It comes again in 21 days" "4 answered: 4 right"

# ---- numbers drawn anew

cat >>"$WARPBOOK_HOME/lessons/20-own/lesson.md" <<'END'

```quiz id=drawn
ask: How many sectors with stride 2?
choice: 4
not: That is stride 1.
choice: 8
right: 2
because: Stride 2 is spread over 256 bytes.
again: How many sectors does stride {stride} touch, {stride * 4} bytes apart?
draw: stride = 2 of 16..40
answer: explore(coalescing stride={stride}: sectors)
so: Each of the lanes, {4 * stride} bytes apart, has its own: {answer}.
```

```predict id=simulated
ask: How many loads with 1024 ints?
unit: requests
run: reduction/8-grid-stride --on sim --set n=1024
value: counters.gld_req
again: How many requests have {n} ints?
draw: n = 1024 of 2048
answer: sim(reduction/1-gmem --set n={n}: nonsense)
```
END
empty
own drawn false
answers "" 32
expect "a question with draws has other numbers, and its answer is computed" 0 silent "How many sectors does stride " \
    "Your answer: 32" "✓ right" "bytes apart, has its own: 32." "It comes again in 3 days" not-out "stride 2?" "4 8" "256 bytes" "{"
test_that "the numbers are in the workbook" last '"typed":"32","right":true,"drawn":{"stride":'
warpbook workbook
expect "and are shown there" 0 silent "own/20-own drawn: 32 with stride ="
cp "$out" "$TMPDIR/first"
empty
own drawn false
own drawn false
answers "" four 31
expect "a wrong one is told the right number" 0 silent "Type a number." "✗ not right" "right: 32" not-out "not 1:"
empty
own simulated false ',"came":[32.0],"how":"simulated"'
answers "" 32
expect "where the answer cannot be computed the question is as in the lesson" 0 silent "How many loads with 1024 ints?" "✓ right"

# ---- orders and tasks

task() { # task KIND DAY ID MORE: an event of the lesson with tasks
    echo "{\"kind\":\"$1\",\"date\":\"$2T12:00:00Z\",\"lesson\":\"03-tasks\",\"id\":\"$3\",$4}" >>"$book"
}
empty
task answer 2001-01-01 copy '"right":false,"order":[2,1,3,4]'
answers "" "1 1" 6 x "" -1
expect "an order is asked again with its lines in no order" 0 silent "1 question is due." \
    "3 tile[threadIdx.y][threadIdx.x] = in[from]; 4 __syncwarp();" "without lines that do not belong: 1 1" \
    "Type numbers of lines, each once" "1 question stays due" not-out "right:"
answers "" "2, 3 1 5"
expect "it is answered by numbers" 0 silent "✓ right" "It comes again in 3 days" not-out "right:"
test_that "the workbook knows the lines" last '"order":[1,2,3,4],"right":true'
answers --all "1 2 3 4 5"
expect "too many lines are wrong" 0 silent "✗ not right" "right: 2 __shared__ float tile[32][33]; 3 tile" \
    "Only a barrier" "It comes again tomorrow"
test_that "without blanks at the ends of lines" sh -c "! grep -E '.{81}|[^:] \$' '$out'"

empty
task answer 2001-01-01 hunt '"right":false'
was 2001-01-02 one false
answers "" 2
expect "a task is named after the questions" 0 silent "1 question and 1 task are due." "1 of 1 · Lesson 2" \
    "Bug hunt · Lesson 3: Labs, pictures and tasks · A task" "Find the race." "'warpbook open lesson 3' opens it; its name there is hunt." \
    "1 answered: 1 right" not-out "stays due"
empty
task hint 2001-01-01 hunt '"hint":1,"asked_solution":false'
warpbook review --list
expect "a hint alone is nothing wrong" 0 silent "There is nothing to review yet."
task hint 2001-01-01 hunt '"hint":1,"asked_solution":true'
warpbook review
expect "one that was given up comes back" 0 silent "1 task is due." "Start again" not-out "'?' shows" "answered"
warpbook lesson
expect "and the list of lessons says so" 0 silent "1 task to review: warpbook review"
task answer 2001-01-05 hunt '"right":true,"review":true'
warpbook review
expect "until it is accepted on its day" 0 silent "1 task is due."
task answer 2999-01-05 hunt '"right":true,"review":true'
warpbook review --list
expect "and then later" 0 silent "2999-01-12" "0 of 1 due" "Find the race."

# ---- input that means nothing

empty
was 2001-01-01 one false
was 2001-01-02 typed false
came offset
answers "" 0 4 -1 "1 2" x "$(printf '\033[31m2')" 99999999999999999999 2 five 5e999 nan 5 "$(printf '4\377')" \
    "$(head -c 5000 /dev/zero | tr '\0' 4)" 4
expect "is answered and asked again" 0 silent "The choices are 1 to 3." "Type a number." "at most 200 bytes, and is UTF-8" \
    "3 answered: 3 right, 0 wrong."
test_that "and is not written down" events 6
empty
was 2001-01-01 several false
answers "" "1 9" "," 13 "1 3"
expect "so are choices of which one is not there" 0 silent "several may be right: 1 2" "1 answered: 1 right"
empty
was 2001-01-01 one false
head -c 20000 /dev/urandom | "$WARPBOOK" review >"$out" 2>"$err"
status=$?
test_that "noise is harmless" sh -c "[ $status = 0 ] && ! LC_ALL=C grep -q '$(printf '\033')' '$out'"

# ---- enough

for end in "" q " q "; do
    empty
    was 2001-01-01 one false
    was 2001-01-01 typed false
    answers "" 2 "$end" 4
    expect "'$end' ends it" 0 silent "1 answered: 1 right, 0 wrong. 1 question stays due; 'warpbook review' goes on."
    test_that "with what was answered kept" events 3
done
empty
was 2001-01-01 one false
was 2001-01-01 typed false
warpbook review
expect "so does the end of the input" 0 silent "How many lanes" "Nothing was answered. 2 questions stay due" not-out "float"
test_that "and nothing is written" unkept 2
printf '2\n4' | "$WARPBOOK" review >"$out" 2>"$err"
status=$?
expect "the last line needs no end" 0 silent "2 answered: 2 right"

# ---- all

empty
was 2999-01-01 one false
was 2001-01-01 typed false
learned told
answers --all 4 2
expect "all asks what is not learned" 0 silent "2 questions are not learned, 1 of them due." \
    "A right answer before its day does not count." "It comes again in 3 days" \
    "before its day and does not count: it comes again in" "on 2999-01-02" not-out "How many threads"
answers --all 1 3
expect "early or not, a wrong answer starts over" 0 silent "none of them due today" "It comes again tomorrow" \
    "2 answered: 0 right, 2 wrong."

# ---- the list

empty
was 2999-01-01 one false
was 2001-01-01 typed false
came stride
learned told
cp "$book" "$TMPDIR/before"
warpbook review --list
expect "the list has days, lessons and questions" 0 silent "2001-01-02 due 02-questions How many bytes has a float?" \
    "2999-01-02 in" "How many lanes" "2 of 3 due, 1 learned." not-out "threads"
test_that "the first due first" in_order 2001-01-02 2999-01-02
test_that "it fits 80 columns" sh -c "! grep -E '.{81}| \$' '$out'"
test_that "and nothing is asked or written" cmp -s "$book" "$TMPDIR/before"

echo 'torn{' >>"$book"
printf '{"kind":"answer","lesson":"02-q' >>"$book"
answers "" 4
expect "a torn workbook still reviews" 0 silent "1 answered: 1 right" "1 question stays due"

# ---- what cannot be

refuses "'review' has no flag --al" review --al
refuses "one word too many" review 2
empty
was 2001-01-01 one false
was 2001-01-01 typed false
(
    ulimit -f 0
    printf '2\n4\n' | "$WARPBOOK" review 2>&1
    echo "status $?"
) | cat >"$out"
: >"$err"
status=0
expect "what cannot be written down is neither told nor asked on" 0 "could not be written into the workbook" "status 3" \
    not-out "✓ right" "float" "answered"
test_that "and the workbook is as it was" unkept 2
rm -f "$book"
mkdir "$book"
answers "" 2
expect "a workbook that cannot be had is a failure" 3 err "warpbook: "
