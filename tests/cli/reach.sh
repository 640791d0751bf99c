#!/bin/sh
# A room on another machine: the learner's courier carries over one ssh connection. ssh is a script here that runs the
# command in another home; it can be told to fail, and prints what a login prints.
set -u
. tests/expect.sh
stand_in
export WARPBOOK_LOCKS="$TMPDIR"
rooms=$TMPDIR/rooms there=$TMPDIR/there
mkdir -m 755 "$rooms" "$there" "$TMPDIR/bin"
program=$(cd "$BUILD" && pwd)/warpbook
ln -s "$program" "$TMPDIR/bin/warpbook"
cat >"$TMPDIR/bin/ssh" <<END
#!/bin/sh
[ -e '$TMPDIR/down' ] && { echo 'ssh: connect to host gpubox port 22: No route to host' >&2; exit 255; }
echo "\$*" >>'$TMPDIR/dialled'
while [ "\$1" != gpubox ]; do shift; done
shift
echo 'Welcome to gpubox'
WARPBOOK_HOME='$there' WARPBOOK_ROOMS='$rooms' exec sh -c "\$*"
END
chmod +x "$TMPDIR/bin/ssh"
PATH=$TMPDIR/bin:$PATH
at_gpubox() { # at_gpubox ARGUMENT...: the instructor's commands
    WARPBOOK_HOME=$there WARPBOOK_ROOMS=$rooms "$WARPBOOK" "$@" >"$out" 2>"$err" </dev/null
    status=$?
}

at_gpubox room open "CUDA day 0" --probe gpubox
expect "how soon another host sees what is written is measured" 0 out "On gpubox a new learner is seen after" not-out slow
test_that "in a room that is gone again" [ -z "$(ls "$rooms")" ]
at_gpubox room open "CUDA day 0" --probe -oProxyCommand=true
expect "a host is no option of ssh there either" 2 err "maple-otter@gpubox"
test_that "and an error leaves no room either" [ -z "$(ls "$rooms")" ]
at_gpubox room open "CUDA day 1"
word=$(sed -n 's/.*warpbook join //p' "$out")
warpbook join "no-such@gpubox" --yes
expect "the other machine says that there is no such room" 3 err "There is no room no-such"
warpbook join "$word@-oProxyCommand=true" --yes
expect "a host is no option of ssh" 2 err "maple-otter@gpubox"
: >"$TMPDIR/down"
warpbook join "$word@gpubox" --yes
expect "a machine that is not reached is said so in ssh's words" 3 err "gpubox cannot be reached" "No route to host"
rm "$TMPDIR/down"
warpbook join "$word@gpubox" --yes --as otter-12
expect "a room can be joined over ssh, whatever a login prints" 0 out "as otter-12" silent
at_gpubox room
expect "and the instructor sees the learner" 0 out "otter-12"
: >"$TMPDIR/down"
warpbook light red what is a sector
at_gpubox room
expect "what cannot be sent is not there yet" 0 not-out "asks:"
rm "$TMPDIR/down"
warpbook light red what is a warp
at_gpubox room
expect "and comes later, in order" 0 out "otter-12" "asks: what is a warp"

WARPBOOK_HOME=$there WARPBOOK_ROOMS=$rooms "$WARPBOOK" room serve >"$TMPDIR/serve.out" 2>&1 </dev/null &
serve=$!
until [ -s "$rooms/$word/out/queue.json" ] || ! kill -0 $serve 2>/dev/null; do
    :
done
: >"$TMPDIR/dialled"
WARPBOOK_WORKER="'$program' worker --room" "$WARPBOOK" run vecadd --on gpu --size small >"$out" 2>"$err"
status=$?
expect "the queue serves learners who are elsewhere" 0 out "5 16-byte loads" "Stand-in GPU"
test_that "over one connection" [ "$(grep -c . "$TMPDIR/dialled")" = 1 ]
kill $serve
wait $serve
rm "$rooms/$word/out/queue.json"
WARPBOOK_HOME=$there WARPBOOK_ROOMS=$rooms "$WARPBOOK" room serve --own >"$TMPDIR/serve.out" 2>&1 </dev/null &
serve=$!
until [ -s "$rooms/$word/out/queue.json" ] || ! kill -0 $serve 2>/dev/null; do
    :
done
WARPBOOK_WORKER="'$program' worker --room" "$WARPBOOK" run vecadd/3 --on gpu --size small >"$out" 2>"$err" </dev/null
status=$?
expect "and gives turns to those who have a GPU of their own there" 0 out "right" "Stand-in GPU"
test_that "by an answer that says so" grep -q '"go":true' "$rooms/$word"/out/*-*.json
kill $serve
wait $serve
at_gpubox room close --forget
expect "nothing is left that a learner's side made there" 0 not-out "could not be removed"
test_that "nor of the room" [ ! -e "$rooms/$word" ]
