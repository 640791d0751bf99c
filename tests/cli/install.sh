#!/bin/sh
# make install puts all that the program reads where it finds it, below DESTDIR too; make uninstall takes all of
# it away again. Nothing is built here.
set -u

program=${BUILD#"$ROOT"/}/warpbook # as Makefile calls it
case $BUILD in */asan) mode=asan ;; *) mode=release ;; esac
place=$HOME/place
warpbook=$place/usr/bin/warpbook
export WARPBOOK_NVRTC=none WARPBOOK_CLANG=none

check() { # check NAME COMMAND...: its output in $HOME/said
    name=$1
    shift
    if "$@" >"$HOME/said" 2>&1; then
        echo "ok $name"
    else
        echo "not ok $name"
        sed 's/^/# /' "$HOME/said"
    fi
}

making() { # making GOAL
    (cd "$ROOT" && make -o "$program" B="${program%/*}" MODE=$mode "$1" DESTDIR="$place" PREFIX=/usr)
}

prints() { # prints TEXT COMMAND...
    text=$1
    shift
    "$@" | tee "$HOME/printed" | grep -qF -- "$text"
    found=$?
    cat "$HOME/printed"
    return $found
}

left() {
    [ -z "$(find "$place" -type f)" ] && [ ! -e "$place/usr/share/warpbook" ]
}

# The manual page names folders where this installation has them, and documents that are there.
documents() {
    page=$place/usr/share/man/man1/warpbook.1
    ! grep -q /usr/local "$page" || return 1
    for path in $(grep -oE '/usr/share[a-z/]*' "$page" | sort -u); do
        [ -d "$place$path" ] || { echo "$path is not there" && return 1; }
    done
    for file in README.md $(sed 's/\\-/-/g' "$page" | grep -oE '[a-z/]*[A-Z]+\.md' | sort -u); do
        [ -s "$place/usr/share/doc/warpbook/$file" ] || { echo "$file is not there" && return 1; }
    done
}

# What an installed document links to or names as a document is installed too.
links() {
    cd "$place/usr/share/doc/warpbook" || return 1
    find . -name '*.md' | while read -r file; do
        grep -oE '[A-Za-z/-]*[A-Z]+\.md' "$file" | grep -v 'TERM' | sort -u | while read -r named; do
            [ -s "$named" ] || [ -s "${file%/*}/$named" ] || echo "$file names $named"
        done
    done >"$HOME/missing"
    cat "$HOME/missing"
    [ ! -s "$HOME/missing" ]
}

completions() {
    for file in bash-completion/completions/warpbook zsh/site-functions/_warpbook \
        fish/vendor_completions.d/warpbook.fish; do
        [ -s "$place/usr/share/$file" ] || return 1
    done
}

check "it installs" making install
check "the manual page names what is there" documents
check "the documents name what is there" links
check "so does completion" completions
check "and the licence" [ -s "$place/usr/share/doc/warpbook/LICENSE" ]
cd / || exit 1
check "the labs are found" prints "Histogram of bytes" "$warpbook" list
check "a kernel is shown" prints "__global__" "$warpbook" show vecadd/1
check "the installed kernels are meant" prints "$place/usr/share/warpbook/kernels" "$warpbook" doctor
check "it starts itself for a run" prints " right" "$warpbook" run vecadd --on cpu --size small
check "without a compiler there is the PTX that ships" prints ".entry" "$warpbook" show vecadd/1 --ptx
mv "$place" "$place-2"
check "a moved installation works" "$place-2/usr/bin/warpbook" show vecadd/1 --ptx
mkdir -p "$place-2/kernels"
: >"$place-2/kernels/variant.h"
check "within a source tree it means its own kernels" \
    prints "$place-2/usr/share/warpbook/kernels" "$place-2/usr/bin/warpbook" doctor
rm -r "$place-2/kernels"
mv "$place-2" "$place"
: >"$place/usr/share/other"
check "it uninstalls" making uninstall
check "what is not its own stays" rm "$place/usr/share/other"
check "nothing of its own is left" left
