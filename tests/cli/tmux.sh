#!/bin/sh
# The full-screen program once in a real terminal's place: keys, a page, a new size and the way out, under tmux.
set -u
. tests/expect.sh
no_gpu

if ! command -v tmux >/dev/null; then
    echo "skip tmux tmux is missing"
    exit 0
fi

server="warpbook-$$"
mux() {
    tmux -L "$server" -f /dev/null "$@"
}
trap 'mux kill-server 2>/dev/null' EXIT

# shows NAME TEXT: waits until the screen holds the text. tmux cannot be asked to tell when it does, so it is looked at
# again and again, for at most 5000 times.
shows() {
    tries_=0
    until mux capture-pane -p >"$out" 2>"$err" && grep -qF -- "$2" "$out"; do
        tries_=$((tries_ + 1))
        [ $tries_ -lt 5000 ] || break
    done
    [ $tries_ -lt 5000 ]
    report "$1"
}

status=$(mux new-session -d -x 80 -y 24 \
    "'$WARPBOOK'; echo ended with \$?; stty -a | tr ' ;' '\n\n' | grep -x icanon; exec cat" 2>&1)
if [ -n "$status" ] && ! mux has-session 2>/dev/null; then
    echo "skip tmux $status"
    exit 0
fi
mux set-option -g status off
mux set-option -g window-size manual
mux resize-window -x 80 -y 24

shows "it starts at home" 'warpbook · home'
shows "with what comes next" 'Next'
mux send-keys ':bench banks' Enter
shows "a word opens a page" 'bench · banks'
mux send-keys Down Down
shows "arrows choose" '› 3'
mux resize-window -x 130 -y 40
shows "a larger window keeps the choice" '› 3'
shows "and is used" "[result]"
mux resize-window -x 39 -y 9
shows "a small one says so" 'warpbook needs 40 x 10'
mux resize-window -x 80 -y 24
shows "and back again" '› 3'
mux send-keys '?'
shows "the help page" 'On the page bench'
mux send-keys Q
shows "it ends well" 'ended with 0'
shows "and leaves the terminal as it was" 'icanon'

# ---- a host program on a stand-in for a GPU, edited, run and put back ------------------------------------------------

cat >"$TMPDIR/nvcc" <<'END'
#!/bin/sh
chunks=$(sed -n 's/.*chunks = \([0-9]*\);.*/\1/p' program.cu)
[ "$chunks" ] || exit 9
${CC:-cc} -shared -fPIC -xc -o program.so - <<TEXT
#include <stdio.h>
int main(void)
{
    puts("timeline: $chunks.000 ms on A GPU\ntimeline: stream 0, kernel, 0.000 to 1.000 ms\ntimeline: right");
    return 0;
}
TEXT
END
chmod +x "$TMPDIR/nvcc"
stand_in
mux respawn-pane -k "CC='${CC:-cc}' ASAN_OPTIONS=detect_leaks=0 WARPBOOK_LIBCUDA='$WARPBOOK_LIBCUDA' \
    WARPBOOK_NVCC='$TMPDIR/nvcc' WARPBOOK_HOME='$WARPBOOK_HOME' VISUAL=\"sed -i 's/chunks = 16/chunks = 8/'\" \
    '$WARPBOOK' open bench streams/3; exec cat"
shows "a lab of host programs has a bench" 'bench · streams'
shows "with recorded times" '6.731 ms'
mux send-keys r
shows "its programs run there" '16.00 ms on A GPU; right'
mux send-keys e
shows "a copy of one's own runs when the editor ends" '8.000 ms on A GPU; right'
shows "and is called so" '(yours)'
mux send-keys U
shows "what ships comes back" 'Your copy is kept beside it'
mux send-keys Q
test_that "what ran is in the workbook" \
    [ "$(grep -c '"lab":"streams","variant":"3-streams".*"kind":"run"' "$WARPBOOK_HOME/workbook.jsonl")" = 2 ]
