#!/bin/sh
# What a kernel cannot reach: the processes that compile and run it have given up files, network and programs.
set -u
. tests/expect.sh
no_gpu
spin=tests/data/spin.ptx

# ---- what it may include ------------------------------------------------------------------------------------

echo '"a secret of yours"' >"$HOME/secret"
kernel() { # kernel LINE...: a kernel file whose first lines are given
    {
        printf '%s\n' "$@"
        echo '//@ launch k<<<1, 1>>>()'
        echo 'extern "C" __global__ void k() { }'
    } >"$HOME/kernel.cu"
}
cannot_include() { # cannot_include NAME LINE...
    name=$1
    shift
    kernel "$@"
    warpbook sim "$HOME/kernel.cu"
    expect "$name" 1 silent "secret\" cannot be included: a kernel file stands alone" not-out "of yours"
}
for compiler in nvrtc clang; do
    [ $compiler = nvrtc ] || export WARPBOOK_NVRTC=none
    if ! can_compile || { [ $compiler = nvrtc ] && ! "$WARPBOOK" doctor | grep -q '^found *nvrtc'; }; then
        echo "skip $compiler is not here"
        continue
    fi
    cannot_include "$compiler: a file of yours is not included" "#include \"$HOME/secret\""
    cannot_include "$compiler: nor as data" "__device__ const char data[] =" "#include \"$HOME/secret\"" ";"
    cannot_include "$compiler: nor upwards from a folder of headers" "#include \"../../../../../../../$HOME/secret\""
    kernel "#if 0" "#include <hostonly.h>" "#endif"
    warpbook sim "$HOME/kernel.cu"
    expect "$compiler: a header for the host alone does no harm" 0 silent "No findings"
    kernel "#include <nosuchheader.h>"
    warpbook sim "$HOME/kernel.cu"
    expect "$compiler: a header that is not there is named" 1 silent "nosuchheader.h"
done
unset WARPBOOK_NVRTC

# ---- the process that simulates -----------------------------------------------------------------------------

is_confined=
"$WARPBOOK" doctor | grep -q '^found *confined' && is_confined=yes
mkfifo "$TMPDIR/in" "$TMPDIR/back"
API_TOKEN=secret "$WARPBOOK" worker <"$TMPDIR/in" >"$TMPDIR/back" 2>"$err" &
worker=$!
exec 3>"$TMPDIR/in" 4<"$TMPDIR/back"
source=$(awk '{ gsub(/\t/, " "); printf "%s\\n", $0 }' "$spin")
printf '%s\n' "{\"warpbook\":1,\"id\":1,\"do\":\"run\",\"on\":\"sim\",\"file\":\"spin.ptx\",\"source\":\"$source\",\"limit_ms\":60000}" >&3
until read -r line <&4 && case $line in *'"stage":"simulating"'*) true ;; *) false ;; esac; do :; done
simulator=
for folder in /proc/[0-9]*; do
    case $(sed -n 's/^PPid:[[:space:]]*//p' "$folder/status" 2>/dev/null) in
    "$worker") simulator=${folder#/proc/} ;;
    esac
done
status=0
echo "$line" >"$out"
test_that "a simulation runs in a process of its own" [ -n "$simulator" ]
if [ "$is_confined" ] && grep -q '^Seccomp:' "/proc/$simulator/status"; then
    test_that "which has a filter for its system calls" grep -q '^Seccomp:[[:space:]]*2$' "/proc/$simulator/status"
    test_that "and gets no new privileges" grep -q '^NoNewPrivs:[[:space:]]*1$' "/proc/$simulator/status"
else
    echo "skip its-filter this machine, or this build, does not confine"
fi
only_pipes() { # but for the file in memory that catches what kernels print, and our stderr
    for fd in "/proc/$simulator/fd"/*; do
        case ${fd##*/}:$(readlink "$fd") in 2:* | *:pipe:* | *:/memfd:* | *:/proc/meminfo | *:/proc/*/statm | *:/sys/fs/cgroup/*) ;; *) ls -l "$fd" >>"$err"; return 1 ;; esac
    done
}
test_that "it has nothing open but pipes" only_pipes
no_secret() { ! tr '\0' '\n' <"/proc/$simulator/environ" | grep -q API_TOKEN; }
test_that "and nothing of the environment that it does not need" no_secret
kill -KILL $worker
wait $worker 2>/dev/null
gone() {
    tries=0
    while [ -d "/proc/$simulator" ] && ! grep -q '^State:[[:space:]]*Z' "/proc/$simulator/status" 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 20000 ] || return 1
    done
}
test_that "it does not outlive its worker" gone
exec 3>&- 4<&-

# ---- an executor that dies ----------------------------------------------------------------------------------

"$WARPBOOK" worker --executor simulate </dev/null >"$out" 2>"$err"
status=$?
test_that "an executor that nobody asks ends in silence" [ "$status" = 0 -a ! -s "$out" -a ! -s "$err" ]
echo "no message at all" | "$WARPBOOK" worker --executor simulate >"$out" 2>"$err"
status=$?
test_that "and so does one that hears nonsense" [ "$status" = 0 -a ! -s "$out" -a ! -s "$err" ]
