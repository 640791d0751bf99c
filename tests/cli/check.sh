#!/bin/sh
# check: lessons that do not keep what they promise are named, with the place; a new lesson is sound.
set -u
. tests/expect.sh

here=$TMPDIR/lessons
mkdir -p "$here"

in_folder() { # in_folder FOLDER ARGUMENT...: the program, started there
    folder_=$1
    shift
    (cd "$folder_" && "$WARPBOOK" "$@" >"$out" 2>"$err" </dev/null)
    status=$?
}

fresh() { # a sound lesson in $lesson
    rm -rf "$here"
    mkdir -p "$here"
    in_folder "$here" new lesson mine
    lesson=$(echo "$here"/*-mine)
}

edit() { # edit SED [FILE]: changes one of the lesson's files
    sed "$1" "$lesson/${2:-lesson.md}" >"$TMPDIR/edited" && cp "$TMPDIR/edited" "$lesson/${2:-lesson.md}"
}

finds() { # finds NAME SED TEXT...: the lesson with this change is refused with an error that points
    fresh
    edit "$2"
    name_=$1
    shift 2
    warpbook check --fast "$lesson"
    judge 1 silent "lesson.md:" ": error: " "^" "$@"
    report "$name_"
}

again() { # again NAME STATUS LINES TEXT...: a question with these lines
    fresh
    printf '\n```quiz id=again\nask: How many wavefronts has stride 4?\nright: 4\n%b\n```\n' "$3" >>"$lesson/lesson.md"
    name_=$1 status_=$2
    shift 3
    warpbook check --fast "$lesson"
    judge "$status_" silent "$@"
    report "$name_"
}

# ---- a new lesson ------------------------------------------------------------------------------------------

fresh
expect "new makes a lesson" 0 silent "-mine/lesson.md" "warpbook check"
test_that "its number is after those that ship" sh -c "! ls lessons | grep -q \"^\$(basename '$lesson' -mine)-\""
warpbook check --fast "$lesson"
expect "it passes" 0 silent "mine" "sound" "1 lesson" "No errors; no kernel was run."
cp "$lesson/lesson.md" "$TMPDIR/plain"
sed -i '/^not:/d' "$lesson/lesson.md"
printf '\n```quiz id=bare\nask: Lanes?\nchoice: 16\nchoice: 32\nright: 2\n```\n' >>"$lesson/lesson.md"
warpbook check --fast "$lesson"
expect "a wrong choice without a reason is named, and nothing is wrong with it" 0 silent "sound" \
    "A wrong choice has no 'not' in threads, bare."
sed -i 's/^choice: 16$/&\nnot: Half of them./' "$lesson/lesson.md"
warpbook check --fast "$lesson"
expect "with one it is not" 0 silent "sound" not-out "bare"
printf '\nA warp has 32 lanes.\n\n```quiz id=told\nask: How many lanes has a warp?\nright: 32\n```\n' >>"$lesson/lesson.md"
warpbook check --fast "$lesson"
expect "an answer that is above its question is named" 1 silent "the answer is on the same screen: A warp has 32 lanes."
sed -i 's/A warp has 32 lanes./Of a warp, each of the many, many, many, many, many words says thirty-two\nlanes./' "$lesson/lesson.md"
warpbook check --fast "$lesson"
expect "so is one that is written as a word, at the end of a line" 1 silent \
    "the answer is on the same screen: " "thirty-two lanes"
sed -i 's/^lanes\.$/lanterns./' "$lesson/lesson.md"
warpbook check --fast "$lesson"
expect "the same word for something else is no answer" 0 silent "sound"
sed -i 's/^Of a warp, each.*/A warp has 32 lanes./; /^lanterns\.$/d' "$lesson/lesson.md"
sed -i 's/A warp has 32 lanes./A word has 32 bits, and a [32] or a 32nd lane is another thing./' "$lesson/lesson.md"
warpbook check --fast "$lesson"
expect "another number of that size is no answer" 0 silent "sound"
printf '\n## 32 lanes\n\nIt is 32 lanes.\n' >>"$lesson/lesson.md"
warpbook check --fast "$lesson"
expect "a heading below gives it away too" 1 silent "the answer is on the same screen: " "32 lanes"
sed -i 's/^## 32 lanes/## More/' "$lesson/lesson.md"
warpbook check --fast "$lesson"
expect "what is folded below it does not" 0 silent "sound"
cp "$TMPDIR/plain" "$lesson/lesson.md"
warpbook check --fast "$here"
expect "so does the folder that it lies in" 0 silent "1 lesson"
in_folder "$lesson" check --fast .
expect "'.' is the lesson as well" 0 silent "mine"

cp "$lesson/lesson.md" "$TMPDIR/before"
in_folder "$here" new lesson mine
expect "new does not write over a lesson" 2 err "already exists; nothing was changed"
test_that "and the lesson is as it was" cmp -s "$lesson/lesson.md" "$TMPDIR/before"
in_folder "$here" new lesson 42-mine-too
expect "a number may be given" 0 silent "42-mine-too/lesson.md"
in_folder "$here" new lesson next
expect "the next one has the next number" 0 silent "43-next/lesson.md"
mkdir "$here/2147483647-x" "$here/999-y" "$here/0-z"
in_folder "$here" new lesson 9lives
expect "folders that no lesson lies in do not count" 0 silent "44-9lives/lesson.md"
in_folder "$here" new lesson 100-days
expect "nor is a number of three digits a lesson's" 0 silent "45-100-days/lesson.md"
warpbook check --fast "$here/45-100-days"
expect "and it passes" 0 silent "sound"
rmdir "$here/2147483647-x" "$here/999-y" "$here/0-z"
in_folder "$here" new lesson -- -mine
expect "a name starts with a letter or a digit" 2 err "starts with a letter or a digit"
in_folder "$here" new lesson '../../up'
expect "a name leads nowhere else" 2 err "lower-case letters, digits and '-'"
refuses "'new' makes a lesson" new chapter mine

# ---- places without lessons ---------------------------------------------------------------------------------

refuses "There is no folder" check /nonexistent
mkdir -p "$TMPDIR/empty"
warpbook check "$TMPDIR/empty"
expect "a folder without lessons is said" 2 err "holds no lessons"

# ---- what is wrong with a text --------------------------------------------------------------------------------

finds "a lesson that cannot be read" 's/^title: .*/titel: x/' "lesson.md:2:1: error: a lesson starts with" "titel: x"
finds "a term that is not there" 's/term:thread/term:thraed/' "no term is called 'thraed'; near it is 'thread'" \
    "(term:thraed)"
finds "a lab that is not there" 's/term:thread/lab:vecad/' "There is no lab 'vecad'. Did you mean vecadd?"
finds "a step that is not there" 's/term:thread/lab:vecadd\/77/' "the lab vecadd has no step '77'"
finds "a lesson that is not there" 's/term:thread/lesson:98/' "there is no lesson '98'"
finds "an explorer that is not there" 's/term:thread/explore:bank/' "bank"
finds "a link of no kind" 's/term:thread/there.html/' "a link leads to"
finds "a link in a live block" 's/^hint: Which element/hint: [Which](term:witch) element/' "'witch'"
finds "a wide line" 's/^About 20.*/About 20 lines are a screen, and this one line of the source is wider than any of them./' \
    "the line is 87 columns wide; 80 fit"
finds "a wide piece of code" 's/^About 20.*/```text\n123456789.123456789.123456789.123456789.123456789.123456789.123456789.12345678\n```/' \
    "this code is 80 columns wide on a page; 78 fit"
finds "a wide table" 's/^About 20.*/|one|two|\n|---|---|\n|123456789.123456789.123456789.123456789.123456789.123456789.123456789.1234|45|/' \
    "this table is 79 columns wide on a page; 78 fit"
finds "a knob that is not there" 's/^About 20.*/```widget\nexplore: banks stribe=2\n```/' "stribe" "explore: banks"
finds "a knob that is turned too far" 's/^About 20.*/```widget\nexplore: banks stride=9999\n```/' "stride"
finds "a lab to open that is not there" 's/^About 20.*/```lab\nshow: vecadd\/77\n```/' "has no step '77'"
finds "two equal choices" 's/^choice: 1$/choice: 2/' "this choice is there twice"
finds "a right choice that is not there" 's/^right: 2$/right: 3/' "'right' is the number of a choice"
finds "a run that is not there" 's/^run: vecadd\/3/run: vecadd\/77/' "has no step '77'"
finds "a run's flag that is not there" 's/^run: .*/run: vecadd\/1 --on sim --sise small/' "A run takes --on, --size, --set, --data, --reps and --limit, not '--sise'. Did you mean --size?"
finds "nothing recorded" 's/^run: .*/run: vecadd\/1 --set n=7/' "no result of a GPU was recorded"
finds "a prediction that is no number" 's/^run: .*//; s/^value: .*/right: many/; s/^choice: [483]2*$//' \
    "a prediction without choices is a number"
finds "one wrong answer" 's/^wrong: add-wrong-last.*//' "at least 2 'wrong' files" "no block of lesson.md names this file"
finds "a file that is not there" 's/^solution: .*/solution: gone.cu/' "gone.cu"
finds "a lab of an exercise that is not there" 's/^lab: vecadd/lab: vecad/' "there is no lab 'vecad'"
finds "a check that is none" 's/^check: --set n=1000/check: --set m=1000/' "The lab vecadd has no parameter 'm'"
finds "a time that is none" 's/^check: --set n=1000/&\ntime: --set m=1/' "The lab vecadd has no parameter 'm'"
finds "nothing to compare an answer with" 's/^check: --set n=1000/&\nbeside: vecadd\/nobody somebody/' \
    "The lab vecadd has no step 'nobody'" "beside: vecadd/nobody"
finds "an answer compared with another lab" 's/^check: --set n=1000/&\nbeside: matvec\/1 one/' \
    "what an answer is compared with is a step of the task's own lab" "beside: matvec/1"
finds "no step beside an answer" 's/^check: --set n=1000/&\nbeside: vecadd/' "'beside' is LAB/STEP and what it is called"
finds "a check's flag" 's/^check: --set n=1000/check: --reps 3/' "A check takes"
finds "data that the lab does not have" 's/^check: --set n=1000/check: --data no-such/' "has no data 'no-such'"
finds "a task that nothing checks" 's/^lab: vecadd//; s/^check: .*//' "without a lab nothing checks an answer" '```exercise'
finds "a kernel to keep that is not there" 's/^lab: vecadd/&\nkeep: compare/' "add.cu has no kernel compare" "keep: compare"
finds "a line to set free that is none" 's/^lab: vecadd/&\nmay: kernel/' "'may' is a kind of //@ line" "may: kernel"
finds "a kernel line that cannot be read" 's/^file: add.cu/file: odd.cu/' "odd.cu"

fresh
edit 's/launch  add/launch  sub/' add.cu
warpbook check --fast "$lesson"
expect "a kernel that cannot be read is said with its place" 1 silent "the file cannot be read" "add.cu:3:" "sub"

fresh
edit 's/^    int i = .*/&  \/\/ wider than the page of a bench/' add.cu
warpbook check --fast "$lesson"
expect "a wide line of a kernel" 1 silent "add.cu:7:5: error: " "the line is 85 columns wide; 72 fit"

fresh
edit 's/^About 20.*/```order id=lines\nask: Order\nline: c[i] = 1;\nline: c[i] = 2;\nextra: c[i] = 1;\n```/'
warpbook check --fast "$lesson"
expect "an extra line that is one of the lines" 1 silent "this is one of the lines"

fresh
edit 's/^choice: 4$/choice: 4 \x1b[31m/'
warpbook check --fast "$lesson"
expect "a lesson cannot steer the terminal" 0 silent

finds "a kind that is misspelt" 's/^```exercise/```exercize/' "this is not a kind of live block; did you mean 'exercise'?"
finds "a name without a kind" 's/^About 20.*/```cuda id=x\n```/' "this is not a kind of live block; FORMAT.md lists them"
finds "HTML within a line" 's/^About 20.*/It is <b>bold<\/b>./' "HTML is not shown in a terminal" "It is <b>bold"
finds "HTML in a live block" 's/^hint: Which element/hint: <b>Which<\/b> element/' "HTML is not shown" "hint: <b>"
finds "notes with another mark" 's/^<!-- instructor:/<!-- instruktor:/' "did you mean 'instructor:'?"

# ---- parts ---------------------------------------------------------------------------------------------------

# A stage has 10 labs, which take 15 minutes.
stages() { # stages NAME...
    for stage_; do
        printf '\n## %s\n\nWords.\n' "$stage_"
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            printf '\n```lab\nshow: vecadd\n```\n'
        done
    done
}

lesson_of() { # lesson_of NAME STATUS TEXT...: checks the lesson whose text comes after the title, from stdin
    fresh
    rm "$lesson"/*.cu
    { printf '%s\n' --- 'title: T' 'after: know' --- '' '# T' && cat; } >"$lesson/lesson.md"
    name_=$1 status_=$2
    shift 2
    warpbook check --fast "$lesson"
    judge "$status_" silent "$@"
    report "$name_"
}

stages A B | lesson_of "half an hour needs no parts" 0 "sound" " 30 "
stages A B C D | lesson_of "an hour does, and where they could be cut" 1 "lesson.md:96:1: error: the lesson takes 60" \
    "and 35 are the most; a line '# Title' before this section would make parts of 30 and 30" "## C" "1 error"
stages A B C | sed '/^## /d' | lesson_of "where there is no section to cut at, it says so" 1 \
    "lesson.md:1:1: error: the lesson takes 45 minutes" "give it sections, and begin a part with a line '# Title'"
{ printf '\n# One\n\nTo B.\n' && stages A B && printf '\n# Two\n\nTo C.\n' && stages C; } |
    lesson_of "parts are sound" 0 "sound" " 45 "
{ printf '\n# One\n\nTo B.\n' && stages A && printf '\n# Two\n\nTo D.\n' && stages B C D; } |
    lesson_of "a part that is too long is cut in two" 1 "error: part 2 takes 45 minutes" "parts of 15 and 30" "## C" "1 error"
{ printf '\n# One\n\nTo B.\n' && stages A B; } | lesson_of "one part alone" 1 "one part alone is not a part" "# One" "1 error"
{ printf '\n# One\n' && stages A && printf '\n# Two\n\nTo C.\n' && stages C; } |
    lesson_of "a part that does not say where it goes" 1 "says in a sentence where it goes" "# One" "1 error"
{ printf '\n# One\n\nTo B.\n' && stages A && printf '\n# Two\n\nTo nowhere.\n'; } |
    lesson_of "a part without sections" 1 "a part has sections, which begin with '##'" "# Two" "1 error"

# ---- several at once -------------------------------------------------------------------------------------------

fresh
edit 's/^title: .*/titel: x/; s/^About 20.*/<div>\n\n```quizz id=a\n```\n\n```quiz id=b\naks: x\nright: 1\n```\n\n```predict id=c\nask: x\nrun: nolab\nvalue: a..b\n```\n\n<!-- note --> behind\n\n```quiz id=d\nask: [x](term:wurp)\nright: 1\n```/'
warpbook check --fast "$lesson"
expect "one check says the first error of each block" 1 silent "'titel'" "HTML is not shown" "did you mean 'quiz'" \
    "did you mean 'ask'" "'run' is LAB/STEP" "text after a comment" "no term is called 'wurp'" "7 errors"
edit 's/^run: nolab/run: vecadd\/1/'
warpbook check --fast "$lesson"
expect "and then the next one" 1 silent "'value' is a number" "7 errors" not-out "'run' is LAB/STEP"
fresh
edit 's/^file: add.cu/fiel: add.cu/'
warpbook check --fast "$lesson"
expect "what is missing by a misspelling is one error" 1 silent "did you mean 'file'?" "1 error"
fresh
printf '%s\n' --- 'title: x' --- '' '<b>' >"$lesson/lesson.md"
warpbook check --fast "$lesson"
expect "a start without room for another" 1 silent "a lesson starts with 'title' and 'after'"
printf '' >"$lesson/lesson.md"
warpbook check --fast "$lesson"
expect "an empty file" 1 silent "lesson.md:1:1: error: the file starts with a line ---"

# ---- terms --------------------------------------------------------------------------------------------------------

# ---- questions that are asked again with other numbers

stride='again: How many has stride {stride}?\ndraw: stride = 4 of 1..32'
again "a draw that computes is sound" 0 "$stride\nanswer: explore(banks stride={stride}: wavefronts)\nso: {answer}" "sound"
again "an answer is needed" 1 "$stride" "needs 'again', 'draw' and 'answer'"
again "the text names each number" 1 "again: How many?\ndraw: stride = 4 of 1..32\nanswer: {stride}" \
    "'again' does not name it: it needs {stride}"
again "every number computes" 1 "again: {stride}?\ndraw: stride = 4 of 60..66\nanswer: explore(banks stride={stride}: wavefronts)" \
    "with stride = 65: stride takes 0 to 64"
again "and the lesson's own as it says" 1 "$stride\nanswer: {stride} + 1" "with the numbers of the lesson 5 comes out, and 4 is right there"
again "the answers differ" 1 "$stride\nanswer: 4" "this is 4 for every draw"
again "an explorer has its own values" 1 "$stride\nanswer: explore(banks stride={stride}: sectors)" "does not say sectors"
again "a draw has a form" 1 "again: {n}\ndraw: n = 4\nanswer: {n}" "'n = 4' is not NAME = NUMBER of NUMBERS"
again "few draws are run" 1 "again: {n}\ndraw: n = 4 of 1..99\nanswer: sim(vecadd/3 --set n={n}: counters.gld_req)" \
    "these are 99 draws, and at most 64 are run"
again "the text after the answer is filled, too" 1 "$stride\nanswer: {stride}\nso: {strode}" "so: {strode}" "strode"

# ---- challenges and goals

challenge() { # challenge NAME SED TEXT...: the challenge of the tests with this change is refused
    rm -rf "$here"
    mkdir -p "$here"
    cp -r tests/data/lessons-challenge/06-challenge "$here/13-challenge"
    lesson=$here/13-challenge
    edit "$2"
    name_=$1
    shift 2
    warpbook check --fast "$lesson"
    judge 1 silent "lesson.md:" ": error: " "$@"
    report "$name_"
}
challenge "a challenge needs a budget" '/^budget/d' "a challenge needs a 'budget'"
challenge "two wrong files" '/^wrong: wrong-half/d' "at least 2 'wrong' files"
challenge "a goal needs a step that reaches it" '/^reached/d' "'goal' and 'reached'" "belong together"
challenge "of which results ship" 's,reached: .*,reached: reduction/no-such,' "no step 'no-such'"
challenge "and that does reach it" 's,reached: .*,reached: reduction/2-smem,' "this step does not reach the goal"
challenge "at a size" '/^time/d' "a goal needs a 'lab', which has a ceiling, and a 'time'"
challenge "a goal is a share" 's,^goal: .*,goal: median_ms <= 1,' "a share of the ceiling, as in"

term() { # term LINE...: a glossary with one term
    mkdir -p "$here/glossary"
    printf '%s\n' "$@" >"$here/glossary/word.md"
    warpbook check --fast "$here/glossary"
}

fresh
term --- 'name: word' 'see: warp' 'try: warpbook sim vecadd/1 --set n=100' --- 'A word is one.' '' 'More about it.'
expect "a sound term" 0 silent "1 term" "No errors"
term --- 'name: word' 'see: wrap' --- 'A word is one.'
expect "see leads nowhere" 1 silent "word.md:3:6: error: no term is called 'wrap'" "see: wrap"
term --- 'name: word' --- 'A word is one. It is two.'
expect "two sentences" 1 silent "word.md:4:1: error: the first paragraph is one sentence"
term --- 'name: word' --- 'A word is one' 
expect "no sentence" 1 silent "with a '.' at its end"
term --- 'name: word' 'also: word' --- 'A word is one.' 1 2 3 4 5 6 7 8 9 '' 1 2 3 4 5 6 7 8 9 0
expect "too many lines" 1 silent "at most 20 lines, not 21"
for try in 'sim vecadd/1' 'warpbook sum vecadd' 'warpbook sim vecadd/77' 'warpbook sim vecadd' \
    'warpbook run vecadd --set m=3' 'warpbook explore banks stribe=2' 'warpbook lesson 98'; do
    term --- 'name: word' "try: $try" --- 'A word is one.'
    expect "try: $try" 1 silent "word.md:3:1: error: " "try: $try"
done
term --- 'name: word' --- 'A [word](term:wurd) is one.'
expect "a link that leads nowhere" 1 silent "no term is called 'wurd'"
term --- 'name: word' --- 'A word is one.' '' 1 2 3 4 5 6 7 8 9 '' 1 2 3 4 5 6 7 8 '' '<!-- numbers:' '1 = 1' '-->'
expect "where numbers come from takes no lines" 0 silent "No errors"
term --- 'name: word' 'also: Warps, ld.mine' --- 'A word is one.'
expect "a name that a shipped term has" 1 silent "word.md:3:7: error: the term 'warp' that ships with warpbook" "1 error"
printf '%s\n' --- 'name: other' 'also: Word' --- 'Another is one.' >"$here/glossary/zother.md"
term --- 'name: word' --- 'A word is one.'
expect "two terms of one name" 1 silent "word" "too"
printf '%s\n' --- 'nam: other' --- 'Another is one.' >"$here/glossary/zother.md"
term --- 'name: word' --- 'A word is one.'
expect "a term that cannot be read" 1 silent "zother.md:2:1: error: "
printf '%s\n' --- 'name: third' --- 'A third is <b>one</b>.' >"$here/glossary/third.md"
term --- 'name: word' 'see: wrap' --- 'A word is one.'
expect "and the others are checked all the same" 1 silent "zother.md:2:1: error: " "third.md:4:12: error: HTML is not shown" \
    "word.md:3:6: error: no term is called 'wrap'" "3 errors"

# ---- what kernels do ----------------------------------------------------------------------------------------------

fresh
if ! can_compile; then
    warpbook check "$lesson"
    expect "without a compiler it says what it did not run" 3 silent "Not run" "add-solution.cu"
    echo "skip kernels no-compiler"
    exit 0
fi

judges() { # judges NAME SED FILE TEXT...: with this change the lesson is refused
    fresh
    edit "$2" "$3"
    name_=$1
    shift 3
    warpbook check "$lesson"
    judge 1 silent "lesson.md:" ": error: " "^" "$@"
    report "$name_"
}

warpbook check "$lesson"
expect "a new lesson keeps what it promises" 0 silent "sound" "No errors."
judges "a skeleton that passes" 's/    \/\/ TODO.*/    if (i < n) c[i] = a[i] + b[i];/' add.cu \
    "what one starts from is accepted already" "file: add.cu"
judges "a skeleton that does not compile" 's/TODO.*/TODO\n#error no/' add.cu "does not compile" "add.cu:"
judges "a solution that fails" 's/a\[i\] + b/a[i] - b/' add-solution.cu "the solution is rejected (result)" \
    "With n = 1000: " " of 1000 wrong, first c["
judges "a solution over its budget" 's/^check: --set n=1024/&\nbudget: counters.gld_sec \/ counters.gld_req <= 4.1/' \
    lesson.md "the solution is rejected (budget)" "7.8 sectors a load; at most 4.1."
judges "a solution that a guard refuses" \
    's/^check: --set n=1024/&\nguard: counters.gld_sec \/ counters.gld_req <= 4.1/' \
    lesson.md "the solution is rejected (budget)" "7.8 sectors a load; at most 4.1."
judges "a solution slower than its pace" 's/^check: --set n=1024/&\npace: h100 <= 0.0001 --set n=4096/' \
    lesson.md "the solution is rejected (budget)" "milliseconds on an H100, modelled with n = 4096; at most 0.0001."
judges "a pace on a GPU without figures" 's/^check: --set n=1024/&\npace: h99 <= 1 --set n=4096/' lesson.md "h99.json"
judges "an exercise with a budget that starts from a hole" \
    's/^check: --set n=1024/&\nbudget: counters.gld_sec \/ counters.gld_req <= 8.1/' lesson.md \
    "no number before it to be compared with: its result is wrong" "file: add.cu"
judges "a budget that no run knows" 's/^check: --set n=1024/&\nbudget: counters.gold <= 4.1/' lesson.md \
    "counters.gold: this is not known of this run"
judges "a wrong answer that passes" 's/n - 1/n/' add-wrong-last.cu "this wrong answer is accepted; 'result' is meant"
judges "a wrong answer of another reason" 's/add-wrong-last.cu result/add-wrong-last.cu budget/' lesson.md \
    "for another reason than 'budget': result"
fresh
printf '7.8 sectors for each, and 0.2.\n\n<!-- numbers:\n7.8 = sim(vecadd/3 --set n=1000: counters.gst_sec / counters.gst_req)\n0.2 = sim(vecadd/3 --set n=1000: counters.gst_sec / counters.gst_req)\n-->\n' >>"$lesson/lesson.md"
"$BUILD/test/lesson_numbers" "$lesson" >"$out" 2>"$err"
status=$?
expect "a number that the simulator does not say" 1 silent \
    "this says 0.2, but sim(vecadd/3 --set n=1000: counters.gst_sec / counters.gst_req) is 7.8125" "1 error"
judges "a wrong answer that changes a line" 's/<<<(n + /<<<(1 + n + /' add-wrong-last.cu \
    "for another reason than 'result': changed" "Line 3 is not as it was shipped" "launch add<<<(n + 255)"
judges "a solution that changes a line" 's/<<<(n + /<<<(1 + n + /' add-solution.cu "the solution is rejected (changed)"
judges "a prediction that does not come out" 's/^choice: 8/choice: 16/' lesson.md "8 comes out" "choice: "
judges "two choices that are as near" 's/^choice: 32/choice: 8.1/' lesson.md "are as near to what comes out"
judges "runs that are nearly the same, where a choice says so" \
    's/^About 20.*/```predict id=same\nask: Which?\nchoice: one\nchoice: other\nchoice: the same\nrun: vecadd\/3 --on sim --set n=1000\nrun: vecadd\/3 --on sim --set n=1090\nvalue: counters.gst_sec\nbest: most\n```/' \
    lesson.md "the runs differ by a factor of 1.09: nearly the same, but not quite" "choice: the same"
judges "a value that no run knows" 's/^value: .*/value: counters.gold/' lesson.md "the run does not say counters.gold"
judges "a bug hunt without its finding" \
    's/^```exercise/```bughunt/; s/^hint:.*//; s/^because: The last block has/finding: race\n&/' lesson.md \
    "the simulator does not find this in add.cu; it finds: never written" "finding: race"

# ---- what a lesson says that the program says -------------------------------------------------------------------------

mkdir -p "$WARPBOOK_HOME/kernels/vecadd"
cp lessons/02-grids-blocks-threads/whole-blocks.cu "$WARPBOOK_HOME/kernels/vecadd/3-thread-per-element.cu"
warpbook sim vecadd/3 --set n=1000
expect "lesson 11 tells what the simulator tells" 1 silent "$(sed -n '/ of 1000 wrong, first /p' lessons/11-wrong/lesson.md)" \
    "104 of 1000 wrong"
