#!/bin/sh
# The simulator as a library of its own: the example of engine/sim/README.md is taken from there, compiled against
# libwarpsim.a and nothing else, and prints what the document says.
set -u
. tests/expect.sh

document=engine/sim/README.md

block() { # block LANGUAGE NUMBER: that block of the document
    awk -v start="\`\`\`$1" -v wanted="$2" '
        inside && /^```$/ { inside = 0 }
        inside && count == wanted
        $0 == start { inside = 1; count++ }' "$document"
}

block c 1 >"$TMPDIR/twice.c"
block ptx 1 >"$TMPDIR/twice.ptx"
block text 1 >"$TMPDIR/prints"
block text 2 >"$TMPDIR/reports"
test_that "the document holds an example" [ -s "$TMPDIR/twice.c" ]
test_that "and what it prints" [ -s "$TMPDIR/reports" ]
test_that "which is short" [ "$(wc -l <"$TMPDIR/twice.c")" -le 40 ]

build() { # build NAME: the compiler's line of the document, with the folders of this test
    line=$(block sh 1 | sed -n "s|^cc |${CC:-cc} |p" | sed "s|build/libwarpsim.a|'$BUILD'/libwarpsim.a|")
    case $BUILD in */asan) line="$line -fsanitize=address,undefined" ;; esac
    (ROOT=$(pwd) && cd "$TMPDIR" &&
        eval "$(echo "$line" | sed "s|-Iengine/sim|-I'$ROOT'/engine/sim|; s|twice|$1|g")") >"$out" 2>"$err"
}
build twice
report "it compiles as the document says"
"$TMPDIR/twice" <"$TMPDIR/twice.ptx" >"$out" 2>"$err"
status=$?
test_that "it ends well" [ $status = 0 ]
test_that "it prints what the document says" cmp -s "$out" "$TMPDIR/prints"

sed 's/{ 32, 1, 1 }/{ 33, 1, 1 }/' "$TMPDIR/twice.c" >"$TMPDIR/more.c"
build more
"$TMPDIR/more" <"$TMPDIR/twice.ptx" >"$out" 2>"$err"
status=$?
test_that "a finding is reported in the document's words" grep -qxF -f "$TMPDIR/reports" "$out"

echo 'no PTX' | "$TMPDIR/twice" >"$out" 2>"$err"
status=$?
expect "what is no PTX is a fault with its line" 1 err "line 1: "
