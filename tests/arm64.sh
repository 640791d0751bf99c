#!/bin/sh
# Builds warpbook for arm64 with a cross compiler and runs the simulator's tests with qemu-user: there are no other
# handlers of instructions there than the ones without AVX2, and numbers that the compiler rounds are rounded by
# another machine. Debian only: the libraries are fetched for arm64 into build/arm64/root and not installed.
#
#   tests/arm64.sh      the last line is "N passed, N failed", or "skip arm64 REASON"
set -u
cd "$(dirname "$0")/.." || exit 1
. assets/debian.sh
packages="libncurses-dev libncursesw6 libtinfo6 libedit-dev libedit2 libbsd0 libmd0 libmd4c-dev libmd4c0
    libmd4c-html0-dev libmd4c-html0 libjansson-dev libjansson4 libcmocka-dev libcmocka0 libvterm-dev libvterm0"
B=build/arm64
root=$PWD/$B/root
libraries=$root/usr/lib/aarch64-linux-gnu:$root/lib/aarch64-linux-gnu
tests="unit/sim_access:baseline unit/sim_rare:baseline unit/sim_run:baseline unit/sim_barrier:baseline
    unit/sim_trace:baseline unit/sim_truth:baseline unit/sim_lanes unit/sim_lanes_float unit/sim_cost unit/sim_loaded unit/sim_parse
    unit/sim_balance unit/sim_budget unit/sim_path unit/sim_width unit/sim_kernels"

skip() {
    echo "skip arm64 $*"
    exit 0
}

for tool in aarch64-linux-gnu-gcc qemu-aarch64-static; do
    command -v $tool >/dev/null || skip "$tool is not installed"
done
[ -n "$(debian_mirror)" ] || skip "apt knows no Debian mirror here"
release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)

# apt with lists of its own, so that the system's stay as they are.
if [ ! -e "$root/done" ]; then
    rm -rf "$B/apt" "$root"
    mkdir -p "$B/apt/lists/partial" "$B/apt/cache/archives/partial" "$root"
    echo "deb [arch=arm64] $(debian_mirror) $release main" >"$B/apt/sources.list"
    apt="-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::Lists=$PWD/$B/apt/lists
        -o Dir::Cache=$PWD/$B/apt/cache -o Dir::Etc::SourceList=$PWD/$B/apt/sources.list
        -o Dir::Etc::SourceParts=/dev/null -o APT::Sandbox::User=root"
    # shellcheck disable=SC2086
    apt-get $apt update && (cd "$B/apt" && apt-get $apt download $packages) ||
        skip "the libraries could not be fetched for arm64"
    for file in "$B"/apt/*.deb; do
        dpkg -x "$file" "$root" || exit 1
    done
    touch "$root/done"
fi

cat >"$B/pkg-config" <<END
#!/bin/sh
what=\$1
shift
case \$what in
--cflags) echo -isystem $root/usr/include ;;
--libs)
    echo -L$root/usr/lib/aarch64-linux-gnu -L$root/lib/aarch64-linux-gnu -Wl,-rpath-link=$libraries
    for name; do
        case \$name in ncursesw) echo -lncursesw -ltinfo ;; *) echo "-l\${name#lib}" ;; esac
    done
    ;;
esac
END
chmod +x "$B/pkg-config"
programs=
for test in $tests; do
    test=${test#unit/}
    [ ! -e "tests/unit/${test%%:*}.c" ] || programs="$programs $B/test/${test%%:*}"
done
# shellcheck disable=SC2086
make --no-print-directory B=$B CC=aarch64-linux-gnu-gcc PKG_CONFIG="$PWD/$B/pkg-config" DEV="${DEV-}" \
    $B/warpbook $programs || exit 1
# shellcheck disable=SC2086
TEST_LIMIT=1200 TEST_RUNNER="qemu-aarch64-static -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=$libraries" \
    sh tests/run.sh $B $tests
