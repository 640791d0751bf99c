#!/bin/sh
# Handing in: questions and tasks of a workbook reach the instructor whole, without notes and code.
set -u
. tests/expect.sh
no_gpu
export WARPBOOK_ROOMS="$TMPDIR/rooms"
mkdir -m 755 "$WARPBOOK_ROOMS"
warpbook hand-in --to "$TMPDIR/nothing.jsonl"
expect "who has opened no lesson has nothing to hand in" 2 err "nothing to hand in yet"
test_that "and no file is written" [ ! -e "$TMPDIR/nothing.jsonl" ]
about='"lesson":"01-two-machines","id"'
mkdir -p "$WARPBOOK_HOME"
cat >"$WARPBOOK_HOME/workbook.jsonl" <<END
{"kind":"lesson","date":"2026-03-02T08:00:00Z","lesson":"01-two-machines","title":"Two machines"}
{"kind":"answer","date":"2026-03-02T08:01:00Z",$about:"one","chosen":[3],"right":false}
{"kind":"answer","date":"2026-03-02T08:02:00Z",$about:"one","chosen":[2],"right":true,"text":"my own words"}
{"kind":"note","date":"2026-03-02T08:03:00Z","text":"a secret note"}
END

warpbook hand-in --yes
expect "without a room there is a file to send" 2 err "You are not in a room" "hand-in --to FILE"
warpbook hand-in --to "$TMPDIR/mine.jsonl"
expect "which holds questions and tasks" 0 out "Written to"
cp "$TMPDIR/mine.jsonl" "$out"
expect "and neither notes nor words of one's own" 0 silent '"chosen":[2]' not-out "secret" "my own words"
warpbook room open "CUDA day 1"
word=$(sed -n 's/.*warpbook join //p' "$out")
warpbook join "$word" --yes --as otter-12
printf 'n\n' | "$WARPBOOK" hand-in >"$out" 2>"$err"
status=$?
expect "what goes to the instructor is said before" 1 out "3 events go to the instructor" "No notes, no code" \
    "Nothing was handed in"
warpbook hand-in --yes
expect "and then it is handed in" 0 out "Handed in to $word as otter-12"
warpbook room collect "$TMPDIR/collected"
expect "the instructor collects" 0 out "1 of 1 learners have handed in" "class.csv"
cp "$TMPDIR/collected/class.csv" "$out"
expect "a table of the class" 0 out "pseudonym,account,lessons,answers,right" "otter-12,$(id -un),1,2,1"
cp "$TMPDIR/collected/otter-12.jsonl" "$out"
expect "a workbook of each learner" 0 silent '"chosen":[2]' not-out "secret"
cp "$TMPDIR/collected/otter-12.html" "$out"
expect "and a page" 0 silent "<!DOCTYPE html>" "otter-12" "Two machines"

warpbook hand-in --yes
warpbook room close
expect "what was handed in and not collected keeps a room open" 2 err "1 learner has handed in since the last" "room close --yes"
warpbook room collect "$TMPDIR/collected"
expect "and collecting says who is missing" 0 out "1 of 1 learners have handed in."

# A hand-in that was cut off is none, and what nobody asked for is left out.
journal=$(echo "$WARPBOOK_ROOMS/$word"/in/*.jsonl)
cat >>"$journal" <<'END'
{"v":1,"n":1000,"kind":"work","is":"begin"}
{"v":1,"n":1001,"kind":"work","is":"event","event":{"kind":"run","lab":"<script>","median_ms":0}}
{"v":1,"n":1002,"kind":"work","is":"event","event":{"kind":"answer","lesson":"x","id":"y","right":true,"evil":1}}
END
warpbook room collect "$TMPDIR/collected"
cp "$TMPDIR/collected/class.csv" "$out"
expect "a hand-in that is not whole leaves the one before" 0 out "otter-12,$(id -un),1,2,1"
echo '{"v":1,"n":1003,"kind":"work","is":"end","count":2}' >>"$journal"
warpbook room collect "$TMPDIR/collected"
cp "$TMPDIR/collected/otter-12.jsonl" "$out"
expect "runs and unknown keys are not taken" 0 silent '"right":true' not-out "script" "evil"

# Who could not reach the room has sent a file, with what nobody asked for in it, and a name that is no file's.
cp "$TMPDIR/mine.jsonl" "$TMPDIR/a b;c.jsonl"
echo '{"kind":"note","text":"a secret note"}' >>"$TMPDIR/a b;c.jsonl"
warpbook room collect "$TMPDIR/collected" "$TMPDIR/a b;c.jsonl"
expect "files that were sent are collected, too" 0 out "1 file was read"
cp "$TMPDIR/collected/class.csv" "$out"
expect "in the same table" 0 out "otter-12,$(id -un)," "sent-a-b-c,sent,1,2,1"
warpbook room collect "$TMPDIR/collected"
cp "$TMPDIR/collected/class.csv" "$out"
expect "where they stay when the room is collected again" 0 out "otter-12,$(id -un)," "sent-a-b-c,sent,1,2,1"
test_that "once each" [ "$(wc -l <"$TMPDIR/collected/class.csv")" = 3 ]
cp "$TMPDIR/collected/sent-a-b-c.jsonl" "$out"
expect "but for what no hand-in has" 0 silent '"chosen":[2]' not-out "secret"
warpbook room collect "$TMPDIR/collected" "$TMPDIR/none.jsonl"
expect "a file that is not there is said so" 2 err "none.jsonl"
: >"$TMPDIR/empty.jsonl"
rm "$TMPDIR/collected/class.csv"
warpbook room collect "$TMPDIR/collected" "$TMPDIR/none.jsonl" "$TMPDIR/empty.jsonl" "$TMPDIR/mine.jsonl"
cp "$TMPDIR/collected/class.csv" "$out"
status=0
: >"$err"
expect "and keeps nobody else out, nor does an empty one" 0 silent "sent-empty,sent,0,0,0" "sent-mine,sent,1,2,1"
warpbook room close
expect "what was collected keeps no room open" 0 out "is closed"
warpbook room collect "$TMPDIR/collected" "$TMPDIR/mine.jsonl"
expect "one may come after the room has closed" 0 out "1 file was read"
cp "$TMPDIR/collected/class.csv" "$out"
expect "beside those of the class" 0 out "otter-12,$(id -un)," "sent-mine,sent,"

# ---- many lines, and the last moment ----------------------------------------------------------------------------

warpbook room open "CUDA day 2"
word=$(sed -n 's/.*warpbook join //p' "$out")
warpbook join "$word" --yes --as otter-12
# A hand-in has more lines than one look at a class reads, and other things were told before it.
for minute in $(seq 300); do
    echo "{\"kind\":\"answer\",\"date\":\"2026-03-02T09:00:00Z\",$about:\"n$minute\",\"chosen\":[1],\"right\":true}"
done >>"$WARPBOOK_HOME/workbook.jsonl"
warpbook hand-in --yes
warpbook room close
expect "a long one keeps the room open too" 2 err "1 learner has handed in since the last"
warpbook room collect "$TMPDIR/collected"

# Handed in when closing has looked at the class and has not said so yet: a lock that the instructor's programs take for
# that is held here meanwhile.
lock=$WARPBOOK_ROOMS/$word/keep/lock
mkfifo "$TMPDIR/until"
flock "$lock" cat "$TMPDIR/until" &
held=$!
until ! flock -n "$lock" true || ! kill -0 $held; do :; done
"$WARPBOOK" room close --forget >"$TMPDIR/closed" 2>&1 &
closing=$!
inode=$(stat -c %i "$lock")
until grep -q -e "-> .*:$inode " /proc/locks || ! kill -0 $closing; do :; done 2>/dev/null
warpbook hand-in --yes
expect "who hands in while the room is being closed" 0 out "Handed in to $word as otter-12"
: >"$TMPDIR/until"
wait "$held" "$closing"
status=$?
cp "$TMPDIR/closed" "$out"
kept=$WARPBOOK_ROOMS/$word/keep
expect "is told to the instructor, and what the room keeps is not forgotten" 0 out "1 learner handed in while it closed. See $kept/class.csv" "is closed"
cp "$kept/class.csv" "$out"
expect "the work lies there" 0 out "otter-12,$(id -un),1,"
warpbook hand-in --yes
expect "later it is said that the room has ended" 3 err "The room $word has ended, perhaps before your work got there" "hand-in --to FILE"
warpbook room close --forget
expect "and then all is forgotten" 0 out "is forgotten"
test_that "to the last file" [ ! -e "$WARPBOOK_ROOMS/$word" ]
