#!/bin/sh
# shell: the prompt without a screen, here with its lines from a pipe.
set -u
. tests/expect.sh

shell() { # shell LINE...: the lines as a script
    printf '%s\n' "$@" | "$WARPBOOK" shell >"$out" 2>"$err"
    status=$?
}

shell "list" "explain warp"
expect "a script runs line by line, without a prompt" 0 silent "Vector addition" "A warp is a group" not-out "warpbook>"
cp "$out" "$TMPDIR/both"
{ "$WARPBOOK" list && "$WARPBOOK" explain warp; } >"$TMPDIR/alone"
test_that "it prints what the commands print" cmp -s "$TMPDIR/both" "$TMPDIR/alone"

printf 'list' | "$WARPBOOK" shell >"$out" 2>"$err"
status=$?
expect "the last line needs no end" 0 silent "Vector addition"
printf 'list\r\n# x\r\n' | "$WARPBOOK" shell >"$out" 2>"$err"
status=$?
expect "lines may end as on Windows" 0 silent "Vector addition"

shell "# nothing" "" "   " "  list # and this" "note '# is no comment'"
expect "comments and empty lines do nothing" 0 silent "Vector addition" "Written into your workbook"
shell "workbook"
expect "a '#' within quotes is none" 0 silent "# is no comment"
shell ":list" "warpbook list"
expect "':' and 'warpbook' may precede a command" 0 silent "Vector addition"

shell "nosuch" "explain xyzzyxyzzy" "list"
expect "it goes on after an error, and ends with the last status that is not 0" 1 \
    "Vector addition" err "There is no command 'nosuch'" "No term is near"
shell "explain xyzzyxyzzy" "nosuch"
expect "whichever that is" 2 err "No term is near" "There is no command"
shell "lst"
expect "a misspelt command gets the nearest" 2 err "Did you mean list?"
shell "note \"open" "list"
expect "an open quote is an error of its line" 2 "Vector addition" err "A quote was left open"
shell "list nosuchlab --flag"
expect "a command's own refusal is its status" 2 err "has no flag --flag"

shell "quit" "list"
expect "quit leaves" 0 silent not-out "Vector"
shell "nosuch" "exit" "list"
expect "with the status so far" 2 not-out "Vector"

shell "bench histogram"
expect "a page has a plain twin" 0 "Histogram of bytes" err "bench is a page of the screen; here: list histogram"
shell "bench histogram/shared" "terms lane" "machine"
expect "every page that has one" 0 "histogram_shared" "A lane is" err "show histogram/shared" "explain lane" "doctor"
shell "worker" "shell"
expect "what reads stdin itself does not run in it" 2 err "'worker' reads stdin" "'shell' reads stdin"
shell "help" "--version"
expect "help and --version work" 0 silent "Exit status" "warpbook 0."
for word in --version -V version; do
    warpbook $word
    expect "$word prints the version" 0 silent "warpbook 0."
done
shell "$(printf 'no\033[31msuch')"
expect "what was typed cannot steer the terminal" 2 err "There is no command"
yes list | head -n 3 | "$WARPBOOK" shell >"$out" 2>"$err"
status=$?
test_that "lines are not eaten by the commands" sh -c "[ \$(grep -c 'Vector addition' '$out') = 3 ]"
"$WARPBOOK" shell </dev/null >"$out" 2>"$err"
status=$?
expect "an empty script is right" 0 silent
test_that "a script leaves no history" test ! -e "$WARPBOOK_HOME/history"
