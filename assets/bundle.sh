#!/bin/sh
# Makes build/warpbook-ARCH.tar.gz: a folder that runs where only glibc is, for machines on which nobody may install.
# The other libraries are linked in; terminal descriptions come along; the driver, NVRTC and clang are found at run
# time as ever. A program runs with the glibc that it was built with and with later ones, so it is built in the oldest
# Debian that the mirror still has.
#
#   assets/bundle.sh           in a Debian of its own, made by debootstrap; needs root
#   assets/bundle.sh --here    on this system as it is; what it needs is installed, and apt has source packages
#   assets/bundle.sh --in ROOT                  in a Debian that is already in the folder ROOT
#   assets/bundle.sh --try ARCHIVE ROOT...      unpacks and runs it in each ROOT, a bare Debian
set -eu
cd "$(dirname "$0")/.."
. assets/debian.sh
arch=$(uname -m)
archive=build/warpbook-$arch.tar.gz
releases="bullseye bookworm trixie" # oldest first
needs="gcc libc6-dev make libncurses-dev libedit-dev libbsd-dev libmd-dev libjansson-dev"
terminals="xterm xterm-256color screen screen-256color tmux tmux-256color linux vt100"

fail() {
    echo "bundle: $*" >&2
    exit 1
}

# ---- on the system as it is ---------------------------------------------------------------------------

# Debian has no md4c to link in: it is compiled from the source of whichever Debian has it.
make_md4c() { # make_md4c FOLDER
    mkdir -p "$1/md4c"
    for release in $releases; do
        (cd "$1" && apt-get -qq source --download-only "md4c/$release" 2>/dev/null) || :
        for source in "$1"/md4c_*.orig.tar.*; do
            [ ! -e "$source" ] || break 2
        done
    done
    [ -e "$source" ] || fail "apt has no source of md4c"
    tar xf "$source" -C "$1/md4c" --strip-components=1
    for part in md4c entity md4c-html; do
        ${CC:-cc} -O2 -c -o "$1/$part.o" "$1/md4c/src/$part.c"
    done
    ar rcs "$1/libmd4c.a" "$1/md4c.o" "$1/entity.o" "$1/md4c-html.o"
}

# What the Makefile asks for the libraries' flags.
make_pkg_config() { # make_pkg_config FOLDER
    cat >"$1/pkg-config" <<END
#!/bin/sh
case \$1 in
--cflags) echo -I$1/md4c/src ;;
--libs) echo $1/libmd4c.a -Wl,-Bstatic -ljansson -ledit -lncursesw -ltinfo -lbsd -lmd -lgomp -Wl,-Bdynamic ;;
esac
END
    chmod +x "$1/pkg-config"
}

copy_terminals() { # copy_terminals FOLDER
    for name in $terminals; do
        below=$(printf %.1s "$name")/$name
        for from in /etc/terminfo /lib/terminfo /usr/share/terminfo; do
            [ -e "$from/$below" ] && install -Dm644 "$from/$below" "$1/$below" && break
        done
    done
}

copy_licences() { # copy_licences FOLDER
    for package in libjansson-dev libedit-dev libncurses-dev libbsd-dev libmd-dev libc6-dev; do
        install -Dm644 "/usr/share/doc/$package/copyright" "$1/$package"
    done
    install -m644 build/bundle/md4c/LICENSE* "$1/md4c"
    install -m644 LICENSE "$1/warpbook"
}

only_glibc() { # only_glibc PROGRAM
    others=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
        grep -v -e '^libc\.so' -e '^libm\.so' -e '^libdl\.so' -e '^libpthread\.so' -e '^librt\.so' -e '^ld-linux') || :
    [ -z "$others" ] || fail "it needs more than glibc:" $others
}

build_here() {
    work=$PWD/build/bundle
    out=$work/out/warpbook
    rm -rf build/bundle
    mkdir -p "$out"
    make_md4c "$work"
    make_pkg_config "$work"
    make --no-print-directory B=build/bundle/tree CFLAGS=-g0 LDFLAGS=-static-libgcc PKG_CONFIG="$work/pkg-config" \
        DESTDIR="$work/out" PREFIX=/warpbook install
    strip "$out/bin/warpbook"
    only_glibc "$out/bin/warpbook"
    copy_terminals "$out/share/warpbook/terminfo"
    mkdir -p "$out/share/doc/warpbook/licences"
    copy_licences "$out/share/doc/warpbook/licences"
    tar czf "$archive" --owner=0 --group=0 -C "$work/out" warpbook
    rm -rf build/bundle
    echo "$archive: $(wc -c <"$archive") bytes, glibc $(ldd --version | sed -n '1s/.* //p') or later"
}

# ---- in a Debian of its own --------------------------------------------------------------------------------

build_in() { # build_in ROOT
    keys=/usr/share/keyrings/debian-archive-keyring.gpg
    cp $keys "$1$keys" # of releases that this one does not know
    for release in $releases; do
        echo "deb-src [signed-by=$keys] $(debian_mirror) $release main"
    done >"$1/etc/apt/sources.list.d/source.list"
    debian_copy_source "$1"
    debian_run "$1" "apt-get -qq update; DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
        install $needs >/dev/null && sh assets/bundle.sh --here"
    mkdir -p build
    cp "$1/src/$archive" "$archive"
}

build_in_debian() {
    lacks=$(debian_lacks)
    [ -z "$lacks" ] || fail "an old Debian to build in cannot be made here: $lacks"
    place=$(mktemp -d)
    trap 'rm -rf "$place"' EXIT
    for release in $releases; do
        echo "bundle: building in Debian's $release"
        if debian_make "$release" "$place/root"; then
            made=yes
            break
        fi
        echo "bundle: no $release from here: $(tail -n 1 "$place/root.log")"
        rm -rf "$place/root"
    done
    [ -n "${made-}" ] || fail "the mirror has none of: $releases"
    build_in "$place/root"
}

# ---- trying it ------------------------------------------------------------------------------------------------

# Prints "ok" or "not ok" for each thing that is tried in a bare Debian.
try_in() { # try_in ROOT ARCHIVE
    name=$(basename "$1")
    mkdir -p "$1/src"
    tar xzf "$2" -C "$1/src"
    program=warpbook/bin/warpbook
    # On a terminal, until Q ends it.
    screen="(sleep 5; printf Q; sleep 2) | TERM=xterm-256color script -qc '$program open bench histogram' /dev/null"
    says "$1" "$name doctor" "found *kernels" "$program doctor; :"
    says "$1" "$name list" "histogram" "$program list"
    says "$1" "$name sim" "right" "$program run vecadd --on sim --size small"
    says "$1" "$name cpu" "right" "$program run vecadd --on cpu --size small"
    says "$1" "$name show" ".entry" "$program show vecadd/1 --ptx"
    says "$1" "$name screen" "OpenMP" "$screen"
    for place in etc lib usr/share; do
        [ ! -e "$1/$place/terminfo" ] || mv "$1/$place/terminfo" "$1/$place/no-terminfo"
    done
    says "$1" "$name screen without the system's terminfo" "OpenMP" "$screen"
    for place in etc lib usr/share; do
        [ ! -e "$1/$place/no-terminfo" ] || mv "$1/$place/no-terminfo" "$1/$place/terminfo"
    done
    rm -rf "$1/src/warpbook"
}

says() { # says ROOT NAME TEXT COMMAND
    if debian_run "$1" "$4" >"$scratch/said" 2>&1 </dev/null && grep -q -- "$3" "$scratch/said"; then
        echo "ok bundle: $2"
    else
        echo "not ok bundle: $2"
        tail -n 20 "$scratch/said" | cat -v
        failed=$((failed + 1))
    fi
    tried=$((tried + 1))
}

case ${1-} in
--here) build_here ;;
--in) build_in "$2" ;;
--try)
    lacks=$(debian_lacks)
    [ -z "$lacks" ] || { echo "skip bundle: $lacks" && exit 0; }
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    tried=0 failed=0 from=$2
    shift 2
    for root; do try_in "$root" "$from"; done
    echo "$((tried - failed)) passed, $failed failed"
    [ $failed = 0 ]
    ;;
'') build_in_debian ;;
*) fail "usage: assets/bundle.sh [--here | --in ROOT | --try ARCHIVE ROOT...]" ;;
esac
