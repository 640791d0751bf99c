#!/bin/sh
# assets/deps.sh decides right: whose package names, as whom, and when to do nothing. The package managers, sudo,
# pkg-config and the compiler are stand-ins in a folder of this test's own; nothing is installed.
set -u

box=$HOME/box
tools=$HOME/tools
mkdir -p "$tools"
for tool in sh cat sed tr grep env mkdir basename; do
    ln -s "$(command -v $tool)" "$tools/$tool"
done

fake() { # fake NAME: a command from stdin
    { echo '#!/bin/sh'; cat; } >"$box/$1"
    chmod +x "$box/$1"
}

# A machine with these package managers, on which everything else is there.
machine() { # machine MANAGER...
    rm -rf "$box"
    mkdir -p "$box"
    : >"$HOME/calls"
    : >"$HOME/absent"
    # A manager notes how it was called and then provides everything.
    for manager; do
        fake "$manager" <<EOF
echo "$manager \$*" >>"$HOME/calls"
case " \$* " in
*" --assume-no "*)
    echo "Need to get 55.5 MB of archives."
    echo "After this operation, 222 MB of additional disk space will be used."
    exit 1 ;;
*" update "* | *" --simulate "*) ;;
*) : >"$HOME/absent" ;;
esac
EOF
    done
    fake cc <<EOF
cat >"$HOME/cc-input"
! grep -qx cc "$HOME/absent"
EOF
    fake pkg-config <<EOF
! grep -qx "\$2" "$HOME/absent"
EOF
    echo 'echo 0' | fake id
    for name in make clang clang-format clang-tidy; do
        echo : | fake $name
    done
}

absent() { # absent NEED...
    printf '%s\n' "$@" >"$HOME/absent"
}

deps() { # deps ARGUMENT...: output in $said, status in $status
    said=$(PATH=$box:$tools CC=cc WARPBOOK_NVRTC="$nvrtc" sh assets/deps.sh "$@" 2>&1 </dev/null)
    status=$?
}

calls() {
    cat "$HOME/calls"
}

check() { # check NAME CONDITION...
    name=$1
    shift
    if "$@"; then
        echo "ok $name"
    else
        echo "not ok $name"
        echo "# status $status, said:"
        echo "$said" | sed 's/^/#   /'
        sed 's/^/# called: /' "$HOME/calls"
    fi
}

says() { # says WORD...: all of them
    for word; do
        case $said in *"$word"*) ;; *) return 1 ;; esac
    done
}

called() { # called TEXT STATUS
    case $(calls) in *"$1"*) [ "$status" = "$2" ] ;; *) false ;; esac
}

quiet() { # nothing was called, one line was said
    [ "$status" = 0 ] && [ -z "$(calls)" ] && [ "$(echo "$said" | grep -c .)" = 1 ]
}

nvrtc=$HOME/libnvrtc.so
: >"$nvrtc"

machine apt-get
deps test lint asan
check "with everything here nothing is called" quiet
deps --missing test
check "with everything here --missing is silent" [ "$status$said" = 0 ]

absent ncursesw libedit md4c md4c-html jansson cmocka vterm
deps test
check "apt's names" called "--no-install-recommends libncurses-dev libedit-dev libmd4c-dev libmd4c-html0-dev libjansson-dev \
libcmocka-dev libvterm-dev" 0
check "it says what it will install" says "packages to install: libncurses-dev"
check "and how large that is" says "that is 55.5 MB to download, 222 MB on disk."
machine apt-get
absent cmocka
deps run
check "a build does not ask for the test libraries" quiet

for case in "dnf:ncurses-devel libedit-devel md4c-devel jansson-devel libcmocka-devel libvterm-devel" \
    "pacman:ncurses libedit md4c jansson cmocka libvterm" \
    "zypper:ncurses-devel libedit-devel md4c-devel libjansson-devel libcmocka-devel libvterm-devel"; do
    machine "${case%%:*}"
    absent ncursesw libedit md4c md4c-html jansson cmocka vterm
    deps test
    check "${case%%:*}'s names" called " ${case#*:}" 0
done

machine dnf
absent cc sanitizers
deps asan
check "a compiler that makes nothing counts as missing" called " gcc" 0

machine apt-get
absent md4c
deps --dry-run
check "a dry run says the command and calls none" says "apt-get" "libmd4c-dev"
check "a dry run leaves all as it was" grep -qx md4c "$HOME/absent"

deps --missing
check "--missing names the library and its package" says md4c libmd4c-dev "make deps"
check "--missing is one line and fails" [ "$status:$(echo "$said" | grep -c .)" = 1:1 ]

machine apt-get
nvrtc=$HOME/nowhere
rm "$box/clang"
deps
check "clang where there is neither NVRTC nor clang" called " clang" 0
check "it says that clang is optional" says "clang is optional" "'make deps-small'"
absent md4c
deps
check "and how large the rest is" says "222 MB on disk; without clang 55.5 MB"
: >"$HOME/calls"
deps --small
check "a small set has no clang" quiet
absent md4c
deps --small
check "but what is needed" called " libmd4c-dev" 0
test_absent=$(case $(calls) in *clang*) echo clang ;; esac)
check "and nothing else" [ -z "$test_absent" ]
: >"$HOME/calls"
nvrtc=$HOME/libnvrtc.so
deps
check "no clang where there is NVRTC" quiet

machine apt-get
absent md4c
echo 'echo 1000' | fake id
deps
check "without sudo it says what to type and fails" says "As root, type:" "apt-get install" libmd4c-dev
check "without sudo nothing is installed" grep -qx md4c "$HOME/absent"
machine apt-get
rm "$box/clang"
nvrtc=$HOME/nowhere
echo 'echo 1000' | fake id
deps
check "without sudo it goes on without clang" says "As root, type:" " clang" "going on without clang."
check "and that is no failure" [ "$status" = 0 ]
nvrtc=$HOME/libnvrtc.so
absent md4c
fake sudo <<EOF
[ "\$1" = -n ] && exit 0
echo sudo >>"$HOME/calls"
exec "\$@"
EOF
: >"$HOME/calls"
deps
check "with sudo it installs through sudo" called "sudo" 0

machine
absent md4c
deps
check "without a known package manager it says so" says "no apt-get, dnf, pacman or zypper" md4c
check "and fails" [ "$status" = 1 ]

machine apt-get
absent md4c
fake apt-get <<EOF
echo "apt-get \$*" >>"$HOME/calls"
exit 100
EOF
deps
check "apt's lists are fetched when they do not hold the package" called "update" 1
check "what could not be installed is named" says "still missing: md4c"
check "and that is a failure" [ "$status" = 1 ]

deps --nonsense
check "an unknown flag is a usage error" [ "$status" = 2 ]
