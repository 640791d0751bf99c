#!/bin/sh
# Rooms on the command line: one account opens a room, joins it and closes it.
set -u
. tests/expect.sh
no_gpu
export WARPBOOK_ROOMS="$TMPDIR/rooms"
mkdir -m 755 "$WARPBOOK_ROOMS"

warpbook room
expect "without a room it says how to open one" 2 err "You have opened no room here" "room open"
warpbook room list
expect "and there is none to list" 0 out "You have no room here" "room open"
warpbook room open "CUDA day 1"
expect "a room has a word and says how to join it" 0 out "CUDA day 1" "warpbook join "
word=$(sed -n 's/.*warpbook join //p' "$out")
warpbook join no-such --yes
expect "a word that no room has is said so" 3 err "There is no room no-such"
warpbook join "${word}x" --yes
expect "one that is misspelt has a neighbour" 3 err "Did you mean $word?"
warpbook light red
expect "without a room there is nobody to tell" 2 err "You are not in a room"
printf 'n\n' | "$WARPBOOK" join "$word" >"$out" 2>"$err"
status=$?
expect "joining says what will be shared and asks" 1 out "The instructor will see" "Not joined; nothing was written"
test_that "and nothing was written" [ -z "$(ls -A "$WARPBOOK_ROOMS/$word/in")" ]
warpbook join "$word" --yes --as Ada
expect "a name that the class would not keep is refused" 2 err "--as takes a pseudonym" "such as otter-12"
warpbook join "$word" --yes --as otter-12
expect "who says yes is in" 0 out "as otter-12"
warpbook room
expect "the instructor sees who has come" 0 out "otter-12" "1 here"
warpbook explain sector
warpbook room
expect "who types commands is in the shell" 0 out "in the shell: explain" "1 here"
warpbook light red what is a sector
expect "what is told is confirmed" 0 out "Your light is red"
warpbook room
expect "the instructor sees who is stuck, and why" 0 out "otter-12" "Needs help" "asks: what is a sector"
warpbook room --projector
expect "everybody may see sums" 0 out "warpbook join $word" "1 asking for help"
test_that "and no name" [ -z "$(grep otter-12 "$out")" ]
warpbook room next
expect "the first who needs help has an account" 0 out "otter-12" "account"
warpbook room shares otter-12
expect "what a learner told is shown as it was written" 0 out '"kind":"light"' "what is a sector"
warpbook room shares otter-13
expect "a learner who is not there is said so" 2 err "there is no 'otter-13'; did you mean otter-12"
printf 'first();\n\033[2Jsecond();\n// \342\200\256 \304\200\n' >"$TMPDIR/own.cu"
seq 400 | sed 's|^|// line |' >>"$TMPDIR/own.cu"
printf '//@ param n = 32\n//@ buffer x int[n] = i\n//@ launch k<<<1, n>>>(x, n)\n__global__ void k(int *x, int n) { x[threadIdx.x] += n; }\n' >>"$TMPDIR/own.cu"
warpbook room code otter-12
expect "no code is shown before a learner shows it" 2 err "otter-12 has shown no code"
before=$(wc -l <"$(echo "$WARPBOOK_ROOMS/$word"/in/*.jsonl)")
printf 'n\n' | "$WARPBOOK" show-my-code "$TMPDIR/own.cu" >"$out" 2>"$err"
status=$?
expect "what would be shown is printed first, and asked about" 1 out "second();" "// line 400" "go to the instructor of $word" "Nothing was shown"
test_that "and nothing of it is told" [ "$(wc -l <"$(echo "$WARPBOOK_ROOMS/$word"/in/*.jsonl)")" = "$before" ]
warpbook show-my-code "$TMPDIR/own.cu" --yes
expect "who says yes shows it" 0 out "can read own.cu"
warpbook room code otter-12
expect "and the instructor reads all of it" 0 out "own.cu, of otter-12" "first();" "second();" "// line 400" "threadIdx.x"
test_that "with nothing in it that moves the cursor" sh -c "! LC_ALL=C grep -q '$(printf '\033')' '$out'"
warpbook room next
expect "a learner who has shown code is marked" 0 out "own.cu" "room code otter-12"
printf '__global__ void k(float *x) { x[0] = y }\n' >"$TMPDIR/stuck.cu"
warpbook show-my-code "$TMPDIR/stuck.cu" --yes
expect "what neither compiles nor says how it is launched can be shown: that is what one is stuck at" 0 out "can read stuck.cu"
warpbook room code "$(id -un)"
expect "and is read by the learner's account as well" 0 out "stuck.cu, of otter-12" "x[0] = y }"
warpbook show-my-code "$TMPDIR/none.cu"
expect "a file that is not there is said so" 2 err "none.cu"
warpbook show-my-code vecadd
expect "a whole ladder is no kernel of one's own" 2 err "takes one kernel"
warpbook room poll 06-coalescing/half
expect "what has no choices cannot be voted on" 2 err "cannot be voted on"
warpbook room poll 06-coalescing/sectors-of-strid
expect "a question that is misspelt has a neighbour" 2 err "Did you mean sectors-of-stride-2"
warpbook room poll 06-coalescing/sectors-of-stride-2
expect "a question of a lesson is voted on" 0 out "round 1 is open, 0 of 1 voted" "room go-on"
test_that "what is right is not among what learners can read" \
    [ -z "$(grep -e right -e '"choices":\["' "$WARPBOOK_ROOMS/$word/notices.jsonl")" ]
warpbook vote 2
warpbook room go-on
expect "the round is closed" 0 out "round 1 is closed" "Which one is right comes out of a run"
# As a lesson leaves it when what was predicted has been run.
echo '{"right":true,"came":[8.0],"how":"simulated","ratio":1.0,"lesson":"06-coalescing","id":"sectors-of-stride-2","date":"2026-11-25T19:21:45Z","kind":"answer"}' >>"$WARPBOOK_HOME/workbook.jsonl"
warpbook room
expect "what came of the instructor's own run says which one is right" 0 out "100 % right: say in a sentence why, and go on"
warpbook room go-on
expect "and there is a second one" 0 out "round 2 is open"
warpbook room show
expect "which ends when the votes are shown" 0 out "shown"
warpbook room go-on
expect "after which no vote is open" 2 err "No poll is open"
warpbook room poll "Ready to go on?" --choice yes
expect "a vote needs a choice" 2 err "two choices or more"
warpbook room poll "Ready to go on?" --choice yes --choice no
expect "one's own question can be voted on" 0 out "Ready to go on?" "1) yes" "2) no"
warpbook room follow 6/half
expect "learners can be led to a place" 0 silent
warpbook room follow 77
expect "of a lesson that exists" 2 err "77"
warpbook room clos
expect "a word that it does not know has a neighbour" 2 err "Did you mean close"
warpbook room open late --ends 25:00
expect "a time of day is one" 2 err "--ends takes the time of day"
warpbook light blue
expect "a light has one of two colours" 2 err "red (stuck), green (done)"
warpbook leave
expect "a learner can leave" 0 out "You left"
warpbook join "$word" --yes --as otter-12
warpbook room close
expect "a room that is closed says who was there still" 0 out "is closed" "1 learner was still there"
warpbook room close
expect "and is closed once" 0 out "is closed already"
warpbook room say hello
expect "after which nothing is said in it" 2 err "is closed"
warpbook room close --forget
expect "what was kept can be forgotten" 0 out "is forgotten"
test_that "after which nothing of it is left" [ ! -e "$WARPBOOK_ROOMS/$word" ]
for verb in "" "leaders vecadd" "close --forget"; do
    warpbook room $verb
    expect "nobody typed its word, so 'room $verb' says that it is forgotten" 2 err "The room $word is forgotten" "room open" \
        not-err "Is the word right"
done

# ---- more than one ------------------------------------------------------------------------------------------------------

warpbook room open "Morning"
first=$(sed -n 's/.*warpbook join //p' "$out")
warpbook room open "Afternoon"
expect "a second room says that there is another one" 0 out "You have 1 other open room" "room list"
second=$(sed -n 's/.*warpbook join //p' "$out")
warpbook room list
expect "which is listed, with how to go back" 0 out "$second" "open, Afternoon" "$first" "open, Morning" "room WORD"
test_that "and which one is meant" grep -qF "* $second " "$out"
warpbook room "$first"
expect "its word leads back to it" 0 out "$first"
warpbook room list
test_that "which is the one that is meant then" grep -qF "* $first " "$out"
warpbook room close "$second"
expect "a room can be closed by its word" 0 out "The room $second is closed"
warpbook room list
expect "and is listed as closed" 0 out "open, Morning" "closed, Afternoon"
warpbook room close "$second" --forget
warpbook room close --forget

warpbook room rehearse 5 --lines 5 --pause 0
expect "a rehearsal loses nothing and counts nothing twice" 0 out \
    "5 learners told 30 lines" "Lost: 0. Counted twice: 0. Not seen: 0. Votes: 5 of 5." \
    "Keys wait at most" "The rehearsal took" "MiB at most"
test_that "and leaves nothing" [ -z "$(ls "$WARPBOOK_ROOMS")" ]
warpbook room rehearse none
expect "a rehearsal takes a number" 2 err "how many learners"
stand_in
warpbook room rehearse 3 --lines 1 --pause 0 --workers 2
expect "with workers it runs through a queue as well" 0 out "3 of 3 learners had all runs of a ladder right" "2 workers"
test_that "and leaves nothing either" [ -z "$(ls "$WARPBOOK_ROOMS")" ]
stand_in cuLaunchKernel=719
warpbook room rehearse 2 --lines 1 --pause 0 --workers 1
expect "what went wrong is said in the run's own words" 1 out "0 of 2 learners had all runs of a ladder right" \
    "One that was not right ended with:" "CUDA_ERROR_LAUNCH_FAILED"
no_gpu
warpbook room rehearse 3 --lines 1 --pause 0 --workers 2
expect "or says that there is no GPU" 3 err "The workers have no GPU"
