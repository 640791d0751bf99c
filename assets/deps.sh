#!/bin/sh
# Finds what warpbook needs here, and installs what is missing with the system's package manager.
#
#   assets/deps.sh [--dry-run] [--small] [GOAL...]   install; --dry-run only says what it would do;
#                                          --small leaves out what the program can do without: clang, OpenMP for clang
#   assets/deps.sh --missing [GOAL...]     one line about what is missing, and exit 1; silent when nothing is
#
# A GOAL is one of make's: test, asan, lint, format, fuzz and workshop need more than a build does.
set -u

# What each need is called by apt, dnf, pacman and zypper. A comma joins packages; - means there is none.
packages='
cc                gcc,libc6-dev    gcc                 gcc          gcc
make              make             make                make         make
pkg-config        pkg-config       pkgconf-pkg-config  pkgconf      pkg-config
ncursesw          libncurses-dev   ncurses-devel       ncurses      ncurses-devel
libedit           libedit-dev      libedit-devel       libedit      libedit-devel
md4c              libmd4c-dev      md4c-devel          md4c         md4c-devel
md4c-html         libmd4c-html0-dev  md4c-devel        md4c         md4c-devel
jansson           libjansson-dev   jansson-devel       jansson      libjansson-devel
cmocka            libcmocka-dev    libcmocka-devel     cmocka       libcmocka-devel
vterm             libvterm-dev     libvterm-devel      libvterm     libvterm-devel
clang             clang            clang               clang        clang
clang-format      clang-format     clang-tools-extra   clang        clang-tools
clang-tidy        clang-tidy       clang-tools-extra   clang        clang-tools
sanitizers        gcc              libasan,libubsan    gcc          gcc
clang-sanitizers  libclang-rt-dev  compiler-rt         compiler-rt  clang
fuzzer            clang,libclang-rt-dev  clang,compiler-rt  clang,compiler-rt  clang
clang-openmp      libomp-dev       libomp-devel        openmp       -
sshd              openssh-server,openssh-client  -     -            -
slurm             slurmctld,slurmd,slurm-client,slurm-wlm-basic-plugins  -  -  -
munge             munge            -                   -            -
sshfs             sshfs            fuse-sshfs          sshfs        sshfs
iproute2          iproute2         -                   -            -
'
CC=${CC:-cc}
PKG_CONFIG=${PKG_CONFIG:-pkg-config}

# ---- what is here -----------------------------------------------------------------------------------

on_path() {
    command -v "$1" >/dev/null 2>&1
}

compiles() { # compiles HEADER [FLAG...]
    header=$1
    shift
    # CC may carry flags of its own, as make allows.
    # shellcheck disable=SC2086
    printf '#include <%s>\nint main(void) { return 0; }\n' "$header" |
        $CC "$@" -xc - -o /dev/null >/dev/null 2>&1
}

# NVRTC and clang where the program looks for them (engine/compile/find.c).
nvrtc_here() {
    if [ -n "${WARPBOOK_NVRTC:-}" ]; then
        [ -e "$WARPBOOK_NVRTC" ]
        return
    fi
    if PATH="$PATH:/usr/sbin:/sbin" ldconfig -p 2>/dev/null | grep -q 'libnvrtc\.so'; then
        return 0
    fi
    for folder in $(echo "${LD_LIBRARY_PATH:-}" | tr ':' ' '); do
        for file in "$folder"/libnvrtc.so*; do [ -e "$file" ] && return 0; done
    done
    for root in "${CUDA_HOME:-}" "${CUDA_PATH:-}" "${CONDA_PREFIX:-}" /usr/local/cuda /opt/cuda \
        /usr/local/cuda-[0-9]*; do
        for file in "$root"/lib64/libnvrtc.so* "$root"/lib/libnvrtc.so* "$root"/targets/*/lib/libnvrtc.so*; do
            [ -n "$root" ] && [ -e "$file" ] && return 0
        done
    done
    return 1
}

clang_here() {
    for name in ${WARPBOOK_CLANG:-clang clang-20 clang-19 clang-18 clang-17 clang-16 clang-15 clang-14}; do
        on_path "$name" && return 0
    done
    return 1
}

here() { # here NEED
    case $1 in
    cc) compiles stdio.h ;;
    make | clang-format) on_path "$1" ;;
    pkg-config) on_path "$PKG_CONFIG" ;;
    clang) clang_here || nvrtc_here ;;
    clang-tidy) on_path clang-tidy || on_path cppcheck ;;
    clang-openmp) compiles omp.h -fopenmp ;;
    fuzzer) CC=clang compiles stddef.h -fsanitize=fuzzer-no-link,address ;;
    sshd | munge | iproute2 | sshfs | slurm) daemons_here "$1" ;;
    *sanitizers) compiles stdio.h -fsanitize=address,undefined ;;
    *) on_path "$PKG_CONFIG" && "$PKG_CONFIG" --exists "$1" 2>/dev/null ;;
    esac
}

daemons_here() { # daemons_here NEED
    (
        PATH="$PATH:/usr/sbin:/sbin"
        case $1 in
        sshd) on_path sshd && on_path ssh ;;
        munge) on_path munged ;;
        sshfs) on_path sshfs ;;
        iproute2) on_path ip ;;
        slurm) on_path slurmctld && on_path slurmd && on_path srun ;;
        esac
    )
}

with_clang() { # is CC clang?
    case ${CC##*/} in clang*) true ;; *) false ;; esac
}

needs() { # needs GOAL...
    echo cc make pkg-config ncursesw libedit md4c md4c-html jansson
    for goal; do
        case $goal in
        test | bench | workshop) echo cmocka vterm ;;
        asan) if with_clang; then echo cmocka vterm clang-sanitizers; else echo cmocka vterm sanitizers; fi ;;
        lint) echo cmocka vterm clang-format clang-tidy ;;
        format) echo clang-format ;;
        fuzz) echo fuzzer cmocka vterm ;;
        esac
    done
}

# A kernel compiler and OpenMP are wanted for what they add; the program builds without them. The tests of workshops skip
# what is not here; their daemons are not installed where they would be started as services.
wants() { # wants GOAL...
    case " $* " in *" workshop "*) [ -d /run/systemd/system ] || echo sshd slurm munge iproute2 sshfs ;; esac
    [ "$small" = yes ] && return
    echo clang
    if with_clang; then echo clang-openmp; fi
}

lacking() { # lacking NEED...: those that are not here, each once
    seen=' '
    for need; do
        case $seen in *" $need "*) continue ;; esac
        seen="$seen$need "
        here "$need" || echo "$need"
    done
}

# ---- how they are installed -------------------------------------------------------------------------

# The manager that belongs to the system, else the first one found: some systems carry another's as a tool.
manager_find() {
    family=$(sed -n 's/^ID\(_LIKE\)\{0,1\}=//p' /etc/os-release 2>/dev/null | tr '\n"' '  ')
    case " $family " in
    *debian* | *ubuntu*) first=apt-get ;;
    *fedora* | *rhel* | *centos*) first=dnf ;;
    *arch*) first=pacman ;;
    *suse*) first=zypper ;;
    *) first=apt-get ;;
    esac
    for manager in $first apt-get dnf pacman zypper; do
        on_path "$manager" && echo "$manager" && return 0
    done
    return 1
}

packages_of() { # packages_of MANAGER NEED...: their packages in one line, each once
    manager=$1
    shift
    listed=' '
    for need; do
        [ "$need" = cc ] && with_clang && need=clang
        row=$(echo "$packages" | grep "^$need ")
        # shellcheck disable=SC2086
        set -- $row
        case $manager in apt-get) names=$2 ;; dnf) names=$3 ;; pacman) names=$4 ;; *) names=$5 ;; esac
        for name in $(echo "$names" | tr ',' ' '); do
            case "$listed- " in *" $name "*) ;; *) listed="$listed$name " ;; esac
        done
    done
    echo "$listed" | sed 's/^ *//; s/ *$//'
}

# What a person types, and what runs, to install the packages.
install_line() { # install_line MANAGER PACKAGES
    case $1 in
    apt-get) echo "apt-get install -y --no-install-recommends $2" ;;
    dnf) echo "dnf install -y --setopt=install_weak_deps=False $2" ;;
    pacman) echo "pacman $(pacman_sync) --needed --noconfirm $2" ;;
    zypper) echo "zypper --non-interactive install --no-recommends $2" ;;
    esac
}

# A system that never fetched its package lists must do so first, and then pacman upgrades all or nothing.
pacman_sync() {
    for list in /var/lib/pacman/sync/*.db; do
        [ -e "$list" ] && echo -S && return
    done
    echo -Syu
}

# How to become root: nothing to do, or sudo. Fails where neither works.
root_prefix() {
    [ "$(id -u)" = 0 ] && return 0
    on_path sudo || return 1
    if sudo -n true 2>/dev/null || (: </dev/tty) 2>/dev/null; then
        echo sudo
    else
        return 1
    fi
}

run_as_root() { # run_as_root COMMAND...
    echo "deps: ${prefix:+$prefix }$*"
    [ "$dry_run" = yes ] && return 0
    $prefix env DEBIAN_FRONTEND=noninteractive "$@" </dev/null
}

# What apt would fetch and write, in its own figures: "54.9 MB to download, 216 MB on disk".
apt_size() { # apt_size PACKAGES
    # shellcheck disable=SC2086
    LC_ALL=C apt-get -q -o Debug::NoLocking=1 --assume-no --no-install-recommends install $1 2>/dev/null </dev/null |
        sed -n 's/^Need to get \(.*\) of archives.*/\1 to download, /p
                s/^After this operation, \(.*\) of additional disk space.*/\1 on disk/p' | tr -d '\n'
}

say_size() { # say_size MANAGER PACKAGES
    if [ "$1" != apt-get ]; then
        echo "deps: $1 says how large that is before it fetches it."
        return
    fi
    size=$(apt_size "$2")
    [ -n "$size" ] || return
    text="deps: that is $size"
    # shellcheck disable=SC2086
    if [ -n "$wanted" ] && [ -n "$missing" ]; then
        text="$text; without $(sentence $wanted) $(apt_size "$(packages_of apt-get $missing)")"
    fi
    echo "$text."
}

install() { # install MANAGER PACKAGES
    line=$(install_line "$1" "$2")
    # shellcheck disable=SC2086
    set -- "$1" $line
    manager=$1
    shift
    # apt's lists may be missing or too old to hold these packages; only then are they fetched.
    if [ "$manager" = apt-get ]; then
        shift
        set -- apt-get -q -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@"
        "$@" --simulate >/dev/null 2>&1 || run_as_root apt-get -q update
        say_size apt-get "$install_packages"
        run_as_root "$@" && return 0
        run_as_root apt-get -q update
    else
        say_size "$manager" "$install_packages"
    fi
    run_as_root "$@"
}

# ---- what a person reads ----------------------------------------------------------------------------

sentence() { # sentence WORD...: "a, b and c"
    text=
    while [ $# -gt 0 ]; do
        word=$1
        [ "$word" = cc ] && word="a C compiler"
        shift
        if [ -z "$text" ]; then text=$word; elif [ $# -gt 0 ]; then text="$text, $word"; else text="$text and $word"; fi
    done
    echo "$text"
}

say_missing() { # say_missing NEED...
    if manager=$(manager_find); then
        echo "warpbook needs $(sentence "$@"): install $(packages_of "$manager" "$@"), or type 'make deps'."
    else
        echo "warpbook needs $(sentence "$@"): install their development packages."
    fi
}

say_what_to_type() { # say_what_to_type MANAGER PACKAGES
    echo "deps: this account may not install packages, and sudo does not work here. As root, type:"
    echo
    [ "$1" = apt-get ] && echo "    apt-get update"
    echo "    $(install_line "$1" "$2")"
    echo
}

# Nothing can be installed here. That is a failure unless all that lacks is what the program can do without.
give_up() {
    [ -n "$missing" ] && exit 1
    # shellcheck disable=SC2086
    echo "deps: going on without $(sentence $wanted)."
    exit 0
}

mode=install
dry_run=no
small=no
while :; do
    case ${1:-} in
    --missing) mode=missing && shift ;;
    --dry-run) dry_run=yes && shift ;;
    --small) small=yes && shift ;;
    -*) echo "usage: assets/deps.sh [--missing | --dry-run] [--small] [test] [asan] [lint] [format] [fuzz] [workshop]" >&2 && exit 2 ;;
    *) break ;;
    esac
done

# Word lists from here on: no need and no package has a space in its name.
# shellcheck disable=SC2046
missing=$(lacking $(needs "$@"))
if [ $mode = missing ]; then
    [ -z "$missing" ] && exit 0
    # shellcheck disable=SC2086
    say_missing $missing >&2
    exit 1
fi

# shellcheck disable=SC2046
wanted=$(lacking $(wants "$@"))
# shellcheck disable=SC2086
set -- $missing $wanted
if [ $# = 0 ]; then
    echo "deps: everything is here."
    exit 0
fi
echo "deps: not here yet: $(sentence "$@")"
if ! manager=$(manager_find); then
    echo "deps: no apt-get, dnf, pacman or zypper here. Install the development packages of these by hand." >&2
    give_up
fi
install_packages=$(packages_of "$manager" "$@")
if [ -z "$install_packages" ]; then
    echo "deps: $manager has no package for $(sentence "$@"); going on without."
    exit 0
fi
echo "deps: packages to install: $install_packages"
case " $wanted" in
*" clang"*)
    echo "deps: clang is optional: it compiles kernels of your own where NVRTC is not installed. 'make deps-small' does" \
        "without it."
    ;;
esac
if ! prefix=$(root_prefix); then
    say_what_to_type "$manager" "$install_packages" >&2
    give_up
fi
install "$manager" "$install_packages"
[ $dry_run = yes ] && exit 0

# shellcheck disable=SC2046,SC2086
missing=$(lacking $missing)
if [ -n "$missing" ]; then
    # shellcheck disable=SC2086
    echo "deps: still missing: $(sentence $missing). What $manager said above tells why." >&2
    if [ "$manager" = dnf ]; then
        echo "deps: on RHEL, Rocky and Alma Linux some come from EPEL: 'dnf install epel-release' first." >&2
    fi
    exit 1
fi
# shellcheck disable=SC2046,SC2086
wanted=$(lacking $wanted)
if [ -n "$wanted" ]; then
    # shellcheck disable=SC2086
    echo "deps: going on without $(sentence $wanted)."
fi
