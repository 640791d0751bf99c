#!/bin/sh
# A bed for tests of workshops: a real sshd, a real Slurm with two stand-in GPUs, and accounts, all on loopback.
#
# Sourced first by a script of tests/workshop, which from there on runs inside, as root: . tests/bed.sh
#
# The bed is a set of namespaces of its own: processes, mounts, network, host name. So its ports are free and its
# accounts new whatever runs outside, nothing that it mounts or writes to /etc, /run, /home or /tmp is seen there, and at
# the end of the script, however it comes, the kernel ends every daemon. It needs root, namespaces, and the packages of
# `sh assets/deps.sh workshop`; where one is missing the script is skipped with that as its reason.
#
# In it: the host is called `bed`, `login` and `gpubox`; `teacher`, `remote` and `learner1`... are accounts that reach
# each other's host by ssh without a password, `locked` one that has only a password; `warpbook` is on everybody's PATH.

bed_lacks() { # why there can be no bed; nothing when there can
    if [ "$(id -u)" != 0 ]; then
        echo "it needs root"
        return
    fi
    for program in sshd ssh munged slurmctld slurmd srun setpriv script ip; do
        PATH="$PATH:/usr/sbin:/sbin" command -v $program >/dev/null || { echo "$program is not installed" && return; }
    done
    unshare --mount --net --pid --uts --fork --mount-proc true 2>/dev/null || echo "namespaces are not allowed here"
}

if [ -z "${BED:-}" ]; then
    bed_lacks_=$(bed_lacks)
    if [ -n "$bed_lacks_" ]; then
        echo "skip bed $bed_lacks_"
        exit 0
    fi
    export BED=/run/bed
    exec unshare --mount --net --pid --uts --fork --mount-proc --kill-child --propagation private sh ${TRACE:-} "$0" "$@"
fi

export PATH="/usr/local/bin:$PATH:/usr/sbin:/sbin"
learners=${learners:-4}
patience=${BED_PATIENCE:-400} # seconds after which what was waited for counts as never coming

# ---- waiting -------------------------------------------------------------------------------------------------

seconds() { # since the epoch, with three decimals
    date +%s.%N | cut -c1-14
}

# soon COMMAND...: whether it holds before patience is over; remark TEXT says after how many seconds. Foreign daemons
# tell nobody when they are done, so they are asked again and again, in $rounds_ a tenth of a second apart: where that has
# to be soon, these are counted, which stand still when the machine does.
soon() {
    begun_=$(seconds) rounds_=0
    until "$@" >/dev/null 2>&1; do
        sleep 0.1
        rounds_=$((rounds_ + 1))
        [ $rounds_ -lt $((patience * 10)) ] || break
    done
    took=$(echo "$begun_ $(seconds)" | awk '{ printf "%.1f", $2 - $1 }')
    [ $rounds_ -lt $((patience * 10)) ]
}

remark() { # remark TEXT
    echo "# $1: $took s"
}

# ---- accounts ------------------------------------------------------------------------------------------------

# The line of /etc/shadow says the password of `locked`, which is secret-pw1.
bed_accounts() {
    # shellcheck disable=SC2016
    hash='$6$warpbook$/M9gk15YdYbaqzUmD5CjkZU4eoiGuBefhj7iJXgb58rAR0DMt66Fl5cahb8wawpGPdQTYyOh9xzgiV4aTlMzK1'
    cp /etc/passwd "$BED/passwd"
    cp /etc/group "$BED/group"
    cp /etc/shadow "$BED/shadow"
    ssh-keygen -q -t ed25519 -N '' -f "$BED/key" -C bed
    number=20001
    accounts="teacher remote locked"
    for count in $(seq "$learners"); do accounts="$accounts learner$count"; done
    for name in $accounts; do
        secret='*'
        [ "$name" != locked ] || secret=$hash
        echo "$name:x:$number:$number::/home/$name:/bin/bash" >>"$BED/passwd"
        echo "$name:x:$number:" >>"$BED/group"
        echo "$name:$secret:19000:0:99999:7:::" >>"$BED/shadow"
        mkdir -p "/home/$name/.ssh"
        [ "$name" = locked ] || cp "$BED/key.pub" "/home/$name/.ssh/authorized_keys"
        cp "$BED/key" "/home/$name/.ssh/id_ed25519"
        chmod 700 "/home/$name" "/home/$name/.ssh"
        chmod 600 "/home/$name/.ssh/id_ed25519"
        chown -R $number:$number "/home/$name"
        number=$((number + 1))
    done
    chmod 644 "$BED/passwd" "$BED/group"
    for name in passwd group shadow; do mount --bind "$BED/$name" /etc/$name; done
}

# become ACCOUNT COMMAND...: this process goes on as that, with nothing but the account's own surroundings
become() {
    name_=$1
    shift
    exec setpriv --reuid="$name_" --regid="$name_" --init-groups env -i HOME="/home/$name_" USER="$name_" \
        LOGNAME="$name_" SHELL=/bin/bash PATH=/usr/local/bin:/usr/bin:/bin TERM="${TERM:-xterm}" LC_ALL=C.UTF-8 \
        WARPBOOK_LIBCUDA="$BED/libcuda.so.1" WARPBOOK_FAKE_CUDA="count=${gpus:-1}" WARPBOOK_NVCC=none ${WARPBOOK_WORKER:+WARPBOOK_WORKER="$WARPBOOK_WORKER"} \
        ${launches:+WARPBOOK_FAKE_LAUNCHES="$launches"} \
        ASAN_OPTIONS="${ASAN_OPTIONS:-}" sh -c 'cd && exec "$@"' sh "$@"
}

as() { # as ACCOUNT COMMAND...
    (become "$@")
}

# begins ACCOUNT ARGUMENT...: warpbook as this account, beside what follows; ends waits for it
begins() {
    name_=$1
    shift
    become "$name_" warpbook "$@" >"$out" 2>"$err" </dev/null &
    program=$!
}
ends() {
    wait "$program"
    status=$?
}

# runs ACCOUNT ARGUMENT...: warpbook as this account; what it says lies in $out and $err, how it ended in $status
runs() {
    name_=$1
    shift
    as "$name_" warpbook "$@" >"$out" 2>"$err" </dev/null
    status=$?
}

in_terminal() { # in_terminal ARGUMENT...: warpbook as $typist in a terminal of 80 x 24; press types
    rm -f "$TMPDIR/keys"
    mkfifo "$TMPDIR/keys"
    : >"$out" 2>"$err"
    become "${typist:-learner1}" script -qec "stty cols 80 rows 24; warpbook $*" /dev/null <"$TMPDIR/keys" >"$out" 2>"$err" &
    program=$!
    exec 7>"$TMPDIR/keys"
}
press() { # press KEYS: as printf writes them
    # shellcheck disable=SC2059
    printf "$1" >&7
}
shown() { grep -q -- "$1" "$out"; }
leaves() { # it has ended; what the terminal got, without what steers it
    ends
    exec 7>&-
    tr -d '\r' <"$out" >"$TMPDIR/plain" && mv "$TMPDIR/plain" "$out"
    words
}

# processes ACCOUNT [WORD]: how many this account has, of those whose command line holds the word
processes() {
    pgrep -c -u "$1" -f "${2:-.}"
}
some_of() { # some_of ACCOUNT [WORD]
    ! none_of "$@"
}
none_of() { # none_of ACCOUNT [WORD]
    [ "$(processes "$@")" = 0 ]
}

# ---- daemons -------------------------------------------------------------------------------------------------

bed_places() {
    hostname bed
    ip link set lo up
    ip address add 192.0.2.1/32 dev lo # getaddrinfo finds no name where there are only addresses of the loopback net
    mount -t tmpfs -o mode=755 bed /run
    mount -t tmpfs -o mode=755 bed /home
    mount -t tmpfs -o mode=755 bed /usr/local/bin
    mount -t tmpfs -o mode=755 bed /etc/ssh
    mkdir -p "$BED" "$BED/log" /run/sshd /etc/slurm
    mount -t tmpfs -o mode=755 bed /etc/slurm
    echo '127.0.0.1 localhost bed login gpubox' >"$BED/hosts"
    mount --bind "$BED/hosts" /etc/hosts
    # A copy that all accounts may read, whoever may read the repository. Locks lie in /tmp, so the bed has one of its own.
    mkdir "$BED/repository" "$BED/tmp" "$BED/root"
    below_=${BUILD#"$ROOT"/}
    tar cf - -C "$ROOT" --mode=a+rX tests/expect.sh tests/data kernels lessons assets "$below_/warpbook" \
        "${FAKE_CUDA#"$ROOT"/}" | tar xpf - -C "$BED/repository"
    chmod -R a+rX "$BED/repository"
    mount -t tmpfs -o mode=1777 bed /tmp
    cd "$BED/repository" || exit 1
    export TMPDIR="$BED/tmp" HOME="$BED/root" WARPBOOK_HOME="$BED/root/own"
    . tests/expect.sh
    ln -s "$BED/repository/$below_/warpbook" /usr/local/bin/warpbook
    ln -s "$BED/repository/${FAKE_CUDA#"$ROOT"/}" "$BED/libcuda.so.1"
    export WARPBOOK=/usr/local/bin/warpbook
}

bed_ssh() {
    ssh-keygen -q -t ed25519 -N '' -f "$BED/host_key" -C bed
    echo "bed,login,gpubox $(cat "$BED/host_key.pub")" >/etc/ssh/ssh_known_hosts
    echo "LogLevel ERROR" >/etc/ssh/ssh_config
    cat >"$BED/sshd_config" <<ASIS
Port 22
ListenAddress 127.0.0.1
HostKey $BED/host_key
PidFile none
UsePAM no
PasswordAuthentication yes
KbdInteractiveAuthentication no
LogLevel VERBOSE
SetEnv WARPBOOK_LIBCUDA=$BED/libcuda.so.1 PATH=/usr/local/bin:/usr/bin:/bin WARPBOOK_NVCC=none
ASIS
    "$(command -v sshd)" -f "$BED/sshd_config" -E "$BED/log/sshd"
}
connections() { # how many sshd has let in so far
    grep -c '^Accepted [a-z-]* for ' "$BED/log/sshd"
}

bed_slurm() {
    mkdir -p /run/munge "$BED/munge" "$BED/slurm" "$BED/slurmd"
    head -c 128 /dev/urandom >"$BED/munge/key"
    chmod 600 "$BED/munge/key"
    chown -R munge: /run/munge "$BED/munge"
    setpriv --reuid=munge --regid=munge --clear-groups "$(command -v munged)" --key-file="$BED/munge/key" \
        --pid-file="$BED/munge/pid" --log-file="$BED/munge/log" --seed-file="$BED/munge/seed" || return 1
    mknod "$BED/gpu0" c 1 3 && mknod "$BED/gpu1" c 1 3 && chmod 666 "$BED/gpu0" "$BED/gpu1"
    cat >/etc/slurm/slurm.conf <<ASIS
ClusterName=bed
SlurmctldHost=bed(127.0.0.1)
AuthType=auth/munge
SlurmUser=root
SlurmctldPidFile=$BED/slurmctld.pid
SlurmdPidFile=$BED/slurmd.pid
SlurmctldLogFile=$BED/log/slurmctld
SlurmdLogFile=$BED/log/slurmd
StateSaveLocation=$BED/slurm
SlurmdSpoolDir=$BED/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,bf_interval=2
MpiDefault=none
GresTypes=gpu
SlurmdParameters=config_overrides
ReturnToService=2
NodeName=bed NodeAddr=127.0.0.1 CPUs=64 RealMemory=1000 Gres=gpu:fake:2
PartitionName=class Nodes=bed Default=YES MaxTime=60 DefaultTime=10
ASIS
    echo "NodeName=bed Name=gpu Type=fake File=$BED/gpu[0-1]" >/etc/slurm/gres.conf
    "$(command -v slurmctld)" && "$(command -v slurmd)" -N bed && soon node_is idle
}
node_is() { # node_is STATE
    [ "$(timeout 10 sinfo -h -o %t)" = "$1" ]
}
no_jobs() { # neither running nor queued, of anybody
    jobs_=$(timeout 10 squeue -h) && [ -z "$jobs_" ]
}
jobs_are() { # jobs_are STATE COUNT: R or PD; an array's jobs that wait are one
    [ "$(timeout 10 squeue -h -t "$1" -o %i | wc -l)" = "$2" ]
}
next_job() { # the number of the job that comes next: it tells whether there was one in between
    timeout 10 scontrol show config | sed -n 's/^NEXT_JOB_ID *= *//p'
}

# A bed with this in it: ssh and slurm, or one of them.
bed_make() {
    bed_places
    bed_accounts
    for daemon in "$@"; do
        if ! "bed_$daemon"; then
            echo "skip bed $daemon does not start here: $(tail -qn 1 "$BED"/log/* "$BED/munge/log" 2>/dev/null | tail -n 1)"
            exit 0
        fi
    done
}
