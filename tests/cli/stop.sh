#!/bin/sh
# Whatever ends warpbook or its reader, it leaves nothing behind that works on: no worker, and no compiler.
set -u
. tests/expect.sh
no_gpu
spin=tests/data/spin.ptx

# A process that holds the pipe open is alive: the reader waits for the last of them. Five minutes without an end are a
# failure on any machine.
patience=300
mkfifo "$TMPDIR/alive"
nobody_left() {
    timeout $patience cat "$TMPDIR/alive" >/dev/null
}
worker_is "exec 9>'$TMPDIR/alive'; echo x >'$TMPDIR/started'; exec '$WARPBOOK' worker"

stopped() { # stopped NAME SIGNAL STATUS COMMAND...: the command gets the signal as soon as it has a worker
    name=$1 signal=$2 want=$3
    shift 3
    rm -f "$TMPDIR/started" # a new pipe each time: a worker that ends may close 'alive' before it closes 'started'
    mkfifo "$TMPDIR/started"
    nobody_left &
    waiter=$!
    "$WARPBOOK" "$@" >"$out" 2>"$err" </dev/null &
    program=$!
    read -r _ <"$TMPDIR/started"
    kill -"$signal" $program
    wait $program
    status=$?
    expect "$name" "$want"
    wait $waiter
    report "and its worker too"
}

# ---- ^C -------------------------------------------------------------------------------------------------------

stopped "^C stops a simulation" INT 130 sim "$spin" --limit 100
expect "and it says so" 130 err "Stopped while it was"
stopped "^C stops a ladder" INT 130 run histogram --on sim
stopped "^C stops doctor" INT 130 doctor
stopped "^C stops a check" INT 130 check lessons

# ---- what nobody can catch --------------------------------------------------------------------------------------

# A compiler that never ends tells when the worker is in the middle of a request.
mkdir "$HOME/bin"
cat >"$HOME/bin/clang" <<END
#!/bin/sh
[ "\$1" != --version ] || { echo "clang version 14.0.6"; exit; }
echo x >&8
exec sleep 1000
END
chmod +x "$HOME/bin/clang"
worker_is "exec 9>'$TMPDIR/alive' 8>'$TMPDIR/started'; exec '$WARPBOOK' worker"
export WARPBOOK_NVRTC=none WARPBOOK_CLANG="$HOME/bin/clang"
stopped "a program that is killed is gone" KILL 137 sim tests/data/good/print.cu
stopped "^C stops a compile" INT 130 sim tests/data/good/print.cu
unset WARPBOOK_NVRTC WARPBOOK_CLANG WARPBOOK_WORKER

# ---- a worker that nobody listens to ------------------------------------------------------------------------------

mkfifo "$TMPDIR/in" "$TMPDIR/back"
timeout $patience "$WARPBOOK" worker <"$TMPDIR/in" >"$TMPDIR/back" 2>"$err" &
worker=$!
exec 3>"$TMPDIR/in" 4<"$TMPDIR/back"
source=$(awk '{ gsub(/\t/, " "); printf "%s\\n", $0 }' "$spin")
printf '%s\n' "{\"warpbook\":1,\"id\":1,\"do\":\"run\",\"on\":\"sim\",\"file\":\"spin.ptx\",\"source\":\"$source\",\"limit_ms\":3600000}" >&3
until read -r line <&4 && case $line in *'"stage":"simulating"'*) true ;; *) false ;; esac; do :; done
printf '%s\n' "$line" >"$out"
status=0
expect "a simulation and what it ran in vain may take three times what a request may ask for, and five seconds" 0 '"limit_ms":10805000}'
exec 4<&-
wait $worker
status=$?
expect "a worker ends when nobody can hear it, though its input is open" 3
exec 3>&-

# ---- who starts us may ignore the end of children -------------------------------------------------------------------

sh -c "trap '' CHLD; exec timeout $patience '$WARPBOOK' run vecadd --size small --on cpu --reps 1" >"$out" 2>"$err"
status=$?
expect "a run ends although SIGCHLD was ignored" 0 silent "right"
worker_is "exit 4"
sh -c "trap '' CHLD; exec timeout $patience '$WARPBOOK' run vecadd --size small --on cpu" >"$out" 2>"$err"
status=$?
expect "and how its worker ended is known" 3 err "ended with status 4"
