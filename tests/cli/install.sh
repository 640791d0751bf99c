#!/bin/sh
# make install puts all that the program reads where it finds it, below DESTDIR too; make uninstall takes all of
# it away again. Nothing is built here.
set -u

case $BUILD in */asan) mode=asan program=build/asan/warpbook ;; *) mode=release program=build/warpbook ;; esac
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
    (cd "$ROOT" && make -o "$program" MODE=$mode "$1" DESTDIR="$place" PREFIX=/usr)
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

check "it installs" making install
cd / || exit 1
check "the labs are found" prints "Histogram of bytes" "$warpbook" list
check "a kernel is shown" prints "__global__" "$warpbook" show vecadd/1
check "the installed kernels are meant" prints "$place/usr/share/warpbook/kernels" "$warpbook" doctor
check "it starts itself for a run" prints " right" "$warpbook" run vecadd --on cpu --size small
check "without a compiler there is the PTX that ships" prints ".entry" "$warpbook" show vecadd/1 --ptx
mv "$place" "$place-2"
check "a moved installation works" "$place-2/usr/bin/warpbook" show vecadd/1 --ptx
mv "$place-2" "$place"
: >"$place/usr/share/other"
check "it uninstalls" making uninstall
check "what is not its own stays" rm "$place/usr/share/other"
check "nothing of its own is left" left
