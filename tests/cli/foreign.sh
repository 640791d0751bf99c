#!/bin/sh
# A worker that another program starts: srun, ssh.
set -u
. tests/expect.sh
no_gpu
mkdir "$HOME/bin"
PATH=$HOME/bin:$PATH

# ---- a queue ----------------------------------------------------------------------------------------------

# Its turn comes when its complaint was read, which ends on warpbook's stderr.
mkfifo "$TMPDIR/heard" "$TMPDIR/log"
cat >"$HOME/bin/srun" <<END
#!/bin/sh
echo "srun: job 83 queued and waiting for resources" >&2
read -r _ <"$TMPDIR/heard"
exec "$WARPBOOK" worker
END
chmod +x "$HOME/bin/srun"
queue() { # queue COMMAND...
    "$WARPBOOK" "$@" >"$out" 2>"$TMPDIR/log" </dev/null &
    program=$!
    sed "/queued/q" "$TMPDIR/log" >"$err"
    echo on >"$TMPDIR/heard"
    wait $program
    status=$?
}
worker_is "srun --gres=gpu:1 warpbook worker"
queue run vecadd --on sim --size small
expect "a run says what the scheduler says, and waits" 0 "right" err "starting: srun: job 83 queued and waiting"
queue doctor --wait 3600
expect "so does doctor" 0 "confined" err "the worker: starting: srun: job 83 queued and waiting"

refuses "--wait takes a whole number from 1 to 86400, not 'long'." run vecadd --wait long
refuses "--wait takes a whole number from 1 to 86400, not '0'." doctor --wait 0

# ---- ssh --------------------------------------------------------------------------------------------------

# It is logged how it is called; with -M it serves a socket, and through one that answers it needs no password.
cat >"$HOME/bin/ssh" <<END
#!/bin/sh
echo "ssh \$*" >>"$TMPDIR/calls"
case "\$*" in
*"-O exit"*) read -r listener <"$TMPDIR/listener" && kill "\$listener" ;;
-M*)
    path=\${*#*ControlPath=}
    "$BUILD/test/foreign" --listen "\${path%% *}" >"$TMPDIR/listener"
    ;;
*ControlPath=*) exec "$WARPBOOK" worker ;;
*nokey*) echo "Host key verification failed." >&2; exit 255 ;;
*) echo "me@gpubox: Permission denied (publickey,password)." >&2; exit 255 ;;
esac
END
chmod +x "$HOME/bin/ssh"
# shellcheck disable=SC2254
calls() { # calls PATTERN: the last call of ssh
    case $(tail -n 1 "$TMPDIR/calls") in $1) ;; *) tail -n 1 "$TMPDIR/calls" && return 1 ;; esac
}
run="run vecadd --on sim --size small"
worker_is "ssh -p 2222 gpubox warpbook worker"
# shellcheck disable=SC2086
{
    warpbook $run
    expect "a password that nobody can type is named, with what to do" 3 \
        err "gpubox wants a password. Type: warpbook connect gpubox" "Permission denied"
    worker_is "ssh nokey warpbook worker"
    warpbook $run
    expect "so is a machine that is not known" 3 \
        err "nokey is not known to ssh yet. Type: warpbook connect nokey" "verification failed"
    worker_is "ssh -p 2222 gpubox warpbook worker"
    warpbook connect gpubox
    expect "connect opens a connection" 0 silent "Connected to gpubox for 8 hours"
    test_that "by the port of the worker" calls \
        "ssh -M -o ControlPersist=8h -o ServerAliveInterval=15 -o ControlPath=*/run/warpbook/ssh-* -p 2222 gpubox true"
    warpbook connect
    expect "once" 0 "There is a connection to gpubox."
    warpbook $run
    expect "runs go through it" 0 "right"
    test_that "by its socket" calls "ssh -o ControlPath=*/run/warpbook/ssh-* -p 2222 gpubox warpbook worker"
    warpbook doctor
    expect "doctor shows it" 0 "to gpubox, kept by 'warpbook connect'"
    worker_is "ssh -p 2223 gpubox warpbook worker"
    warpbook $run
    expect "another port is another connection" 3 err "Type: warpbook connect gpubox"
    worker_is "ssh -p 2222 gpubox warpbook worker"
    warpbook connect --end
    expect "connect --end closes it" 0 "The connection to gpubox is closed."
    warpbook connect --end gpubox
    expect "once" 3 err "There is no connection to gpubox."
    warpbook $run
    expect "and the next run needs it again" 3 err "Type: warpbook connect gpubox"
}
