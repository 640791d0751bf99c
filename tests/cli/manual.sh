#!/bin/sh
# The manual page names what help names, and every variable that the program reads; the documents it points to exist.
set -u
. tests/expect.sh

page=assets/manual/warpbook.1
sed 's/\\f[BIR]//g; s/\\-/-/g; s/\\e/\\/g; s/^\.[BI]R* //' "$page" >"$TMPDIR/page"

names() { # names TEXT...: the page has each of them
    for text_; do
        grep -qF -- "$text_" "$TMPDIR/page" || { echo "# $text_ is not there" && return 1; }
    done
}

"$WARPBOOK" help | sed -n 's/^  \([a-z][a-z-]*\).*/\1/p' >"$TMPDIR/commands"
test_that "there are commands" [ "$(wc -l <"$TMPDIR/commands")" -gt 10 ]
while read -r command; do
    "$WARPBOOK" help "$command" >"$TMPDIR/help"
    # The first line is how it is used (all that fits), the others that start with a flag end in its sentence.
    sed -n '1{s/^warpbook \(.*\)$/.SS "\1/;p;};s/^  \(--[a-z-]*\) .*/\1/p' "$TMPDIR/help" >"$TMPDIR/wanted"
    ok=true
    while read -r wanted; do
        names "$wanted" || ok=false
    done <"$TMPDIR/wanted"
    test_that "$command is in the manual page with its flags" $ok
done <"$TMPDIR/commands"

variables() {
    grep -rhoE --include='*.c' '"WARPBOOK_[A-Z_]+"' engine tui lessons kernels | tr -d '"' | sort -u |
        grep -vxE 'WARPBOOK_(TOOL|SHARE)?' # the first of them is set by the program for its own children
}
# shellcheck disable=SC2046 # one word for each variable
test_that "it names every variable that the program reads" names $(variables) XDG_DATA_HOME XDG_CACHE_HOME

documents() {
    for file_ in $(grep -oE '[a-z/]*[A-Z]+\.md' "$TMPDIR/page" | sort -u); do
        [ -e "$file_" ] || { echo "# $file_ is not there" && return 1; }
    done
}
test_that "the documents that it names exist" documents

if command -v mandoc >/dev/null; then
    mandoc -Tlint -Wwarning "$page" >"$out" 2>"$err"
    status=$?
    expect "mandoc finds nothing wrong" 0
else
    echo "skip mandoc mandoc is not installed"
fi
if man --version >/dev/null 2>&1 && man -l "$page" >"$out" 2>"$err"; then
    status=0
    expect "man shows it" 0 "NAME" "EXIT STATUS" "--check"
else
    echo "skip man man is not installed"
fi
