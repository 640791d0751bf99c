#!/bin/sh
# A learner in a room on the command line: the vote, what is shared, the check the day before, and a room that is away.
set -u
. tests/expect.sh
no_gpu
export WARPBOOK_ROOMS="$TMPDIR/rooms"
mkdir -m 755 "$WARPBOOK_ROOMS"
warpbook room open "CUDA day 1"
word=$(sed -n 's/.*warpbook join //p' "$out")
room=$WARPBOOK_ROOMS/$word
notice() { # notice LINE: as the instructor
    printf '%s\n' "$1" >>"$room/notices.jsonl"
}

warpbook vote
expect "without a room there is no vote" 2 err "You are not in a room"
warpbook join "$word" --yes --as otter-12
expect "the learner joins" 0
warpbook vote
expect "before the instructor asks there is none either" 2 err "has not asked for a vote"
notice '{"kind":"poll","poll":1,"state":"open1","ask":"Ready to\ngo on?\u001b[2J","choices":["yes","no\u202e"]}'
warpbook vote
expect "an open vote says what is asked, in clean text" 0 out "Vote 1, round 1 is open" "Ready to go on?<U+001B>[2J" "2) no<U+202E>"
warpbook vote 3
expect "a choice that there is not is refused" 2 err "The choices of vote 1 are 1 to 2"
warpbook vote 2
expect "a choice is voted for" 0 out "Your vote is 2"
warpbook vote
expect "and is marked" 0 out "your vote"
test_that "the room has it, counted from 0" grep -q '"poll":1,"round":1,"choice":1' "$room"/in/*.jsonl
notice '{"kind":"poll","poll":1,"state":"closed1"}'
warpbook vote 1
expect "a closed round takes no vote" 2 err "Vote 1 is closed"
notice '{"kind":"poll","poll":1,"state":"shown","counts":[[2,5],[]]}'
warpbook vote
expect "what is shown is how many chose what" 0 out "round 1: 5 of 7" not-out "round 2: "
notice '{"kind":"poll","poll":2,"state":"open1","lesson":"../../etc","id":"passwd"}'
warpbook vote
expect "a lesson that is none is said to be" 0 out "which is not installed here"

warpbook shares
expect "what was told is shown as it is" 0 out "as otter-12" '"kind":"join"' '"choice":1'
mv "$room" "$room.away"
warpbook light red
expect "what cannot be delivered is kept, and that is said" 0 err "is gone" "It is kept"
warpbook ready
expect "ready says that the room is gone" 1 out "wrong room" "is gone" "not ready (room)"
mv "$room.away" "$room"
warpbook shares
expect "and is delivered by the next command" 0 out '"is":"red"'
test_that "once" [ "$(grep -c '"is":"red"' "$room"/in/*.jsonl)" = 1 ]

warpbook ready
expect "ready tries all that a class needs" 0 out "right warpbook" "right keys" "right folder" "right simulator" \
    "none gpu" "knows that you are ready" ": ready"
test_that "and tells the room" grep -q '"ready":true' "$room"/in/*.jsonl
warpbook ready no-such
expect "a word that no room has makes it not ready" 1 out "There is no room no-such" "not ready (room)"
echo 'lesson ^^^ run' >"$WARPBOOK_HOME/keys"
warpbook ready
expect "so does a wrong line in the keys" 1 out "wrong keys" "not ready (keys)"
rm "$WARPBOOK_HOME/keys"
stand_in
warpbook ready
expect "a GPU is tried" 0 out "right gpu" "Stand-in GPU"

# Two learners take the same name; the instructor's next look gives one of them another.
no_gpu
warpbook leave
warpbook room open "CUDA day 2" --shared-account
word=$(sed -n 's/.*warpbook join //p' "$out")
own=$WARPBOOK_HOME
for learner in 1 2; do
    export WARPBOOK_HOME="$own/learner$learner"
    warpbook join "$word" --yes --as otter-12
done
WARPBOOK_HOME=$own
warpbook room
expect "the instructor sees both" 0 out "2 joined" "otter-12"
for learner in 1 2; do
    export WARPBOOK_HOME="$own/learner$learner"
    warpbook ready
    cp "$out" "$TMPDIR/ready$learner"
done
other=$(sed -n 's/.*you are \([a-z]*-[0-9]*\) there, since otter-12 was taken.*/\1/p' "$TMPDIR"/ready?)
test_that "ready tells one learner of another name" [ "$(echo "$other" | wc -w)" = 1 ]
WARPBOOK_HOME=$own
warpbook room
expect "which is the one that the class has" 0 out "2 joined" "$other"
for learner in 1 2; do
    export WARPBOOK_HOME="$own/learner$learner"
    warpbook ready
    expect "the second time ready says nothing of it" 0 out "knows that you are ready" not-out "was taken"
done
