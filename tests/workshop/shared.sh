#!/bin/sh
# A room on a file system that several machines share, each with a cache of its own: what one node writes the others see,
# late at most, and once. Each account has a node of its own here: a set of mounts in which $BED/shared is the same folder
# by another mount.
#
# The mounts are of sshfs, which keeps names and attributes for some seconds and asks again when a file is opened, as NFS
# clients do, for up to 30 s. Where the kernel serves NFS, EXPORTS names four mounts of one export of mode 1777, none below /home, /run or /tmp:
#   for n in 1 2 3 4; do mount -t nfs -o nosharecache localhost:/srv/class /mnt/$n; done
#   EXPORTS='/mnt/1 /mnt/2 /mnt/3 /mnt/4' make workshop T=workshop/shared
set -u
learners=2
. tests/bed.sh
sftp=$(find /usr/lib/openssh /usr/libexec -name sftp-server 2>/dev/null | head -n 1)
if [ -z "${EXPORTS:-}" ]; then
    command -v sshfs >/dev/null || { echo "skip shared sshfs is not installed" && exit 0; }
    [ -c /dev/fuse ] && [ -n "$sftp" ] || { echo "skip shared there is no /dev/fuse, or no sftp-server" && exit 0; }
fi
bed_make ssh
shared=$BED/shared
mkdir -m 755 "$shared"
mkdir -m 1777 "$BED/disk"
export WARPBOOK_WORKER='' WARPBOOK_ROOMS="$shared"

# ---- nodes ---------------------------------------------------------------------------------------------------------

cat >"$BED/mounts.sh" <<ASIS
# mounts.sh ACCOUNT NUMBER: the folder, for what sees the mounts that this process sees
set -- \$1 \$2 ${EXPORTS:-}
if [ \$# -gt 2 ]; then
    shift \$((\$2 + 1))
    exec mount --bind "\$1" $shared
fi
exec sshfs "\$1@bed:$BED/disk" $shared -o "IdentityFile=/home/\$1/.ssh/id_ed25519,sftp_server=$sftp" \\
    -o allow_other,default_permissions,dcache_timeout=5,dcache_stat_timeout=5,dcache_dir_timeout=5
ASIS
node_of() { cat "$TMPDIR/node-$1"; }
apart() { [ "$(readlink "/proc/$(node_of "$1")/ns/mnt")" != "$(readlink /proc/self/ns/mnt)" ]; }
node() { # node ACCOUNT NUMBER: a machine where this account is
    unshare --mount --propagation private sleep 100000 &
    echo $! >"$TMPDIR/node-$1"
    soon apart "$1"
    nsenter --mount="/proc/$(node_of "$1")/ns/mnt" sh "$BED/mounts.sh" "$1" "$2"
}
# at_node ACCOUNT COMMAND...: as this account, there
at_node() {
    nsenter --mount="/proc/$(node_of "$1")/ns/mnt" setpriv --reuid="$1" --regid="$1" --init-groups env -i \
        HOME="/home/$1" USER="$1" LOGNAME="$1" PATH=/usr/local/bin:/usr/bin:/bin TERM=xterm LC_ALL=C.UTF-8 \
        WARPBOOK_LIBCUDA="$BED/libcuda.so.1" WARPBOOK_NVCC=none WARPBOOK_ROOMS="$shared" \
        WARPBOOK_WORKER="$WARPBOOK_WORKER" sh -c 'cd && shift && exec "$@"' sh "$@"
}
there() { # there ACCOUNT ARGUMENT...: warpbook
    name_=$1
    shift
    at_node "$name_" warpbook "$@" >"$out" 2>"$err" </dev/null
    status=$?
}
number=2
for account in teacher learner1 learner2; do
    if ! node "$account" $number; then
        echo "skip shared the folder cannot be mounted here"
        exit 0
    fi
    number=$((number + 1))
done
sh "$BED/mounts.sh" teacher 1 # the host login, which the probe asks

# ---- what one writes, the others see -------------------------------------------------------------------------------

one_folder() { # as mounts see it
    at_node learner1 sh -c "echo 1 >$shared/trial" && soon at_node learner2 grep -q 1 "$shared/trial" &&
        ! at_node learner2 sh -c "echo 2 >$shared/trial" 2>/dev/null
}
test_that "the nodes share a folder, in which files have owners" one_folder
at_node learner1 rm "$shared/trial"
there teacher room open --probe login
expect "how late another host sees what is written is measured" 0 'On login a new learner is seen after'
sed 's/^/# /' "$out"
there teacher room open 'CUDA day 1'
word=$(sed -n 's/.*warpbook join //p' "$out")
expect "a room is opened there" 0 "join $word"
room=$shared/$word

# The instructor's screen stays open; every other command reads anew.
mkfifo "$TMPDIR/keys"
at_node teacher script -qec "stty cols 80 rows 24; warpbook room" /dev/null <"$TMPDIR/keys" >"$TMPDIR/screen" 2>&1 &
screen=$!
exec 7>"$TMPDIR/keys"
on_screen() { grep -q -- "$1" "$TMPDIR/screen"; }
soon on_screen 'Nobody is here yet'
for number in 1 2; do
    there learner$number join "$word" --yes --as otter-0$number
    soon on_screen "otter-0$number"
    report "a learner who joins on another node is seen"
    remark "until a screen that is open showed who joined"
done
there learner1 light red 'what is a sector?'
soon on_screen 'what is a sector'
report "as is what a known one tells"
remark "until the screen showed it"
there teacher room poll 'Go on?' --choice yes --choice no
votes() { there learner2 vote 2 && [ "$status" = 0 ]; }
soon votes
report "what the instructor asks reaches the other nodes"
remark "until a vote could be cast"
voted() { there teacher room && grep -q '1 of 2 voted' "$out"; }
soon voted
report "and what they answer comes back"
remark "until it was counted"

# ---- nothing is lost, nothing comes twice ----------------------------------------------------------------------------

tells() { # tells NUMBER: thirty lines, one after the other
    for _ in $(seq 15); do
        at_node "learner$1" sh -c 'warpbook light green && warpbook light red' >/dev/null 2>&1 </dev/null
    done
}
tells 1 &
first=$!
tells 2
wait $first
lines() { # lines FILE: as "told different", by number
    echo "$(grep -c . "$1") $(sed 's/.*"n":\([0-9]*\).*/\1/' "$1" | sort -u | wc -l)"
}
all_there() { # all_there NUMBER TOLD: as the instructor's node reads it
    there teacher room shares "otter-0$1" && grep '"n":' "$out" >"$TMPDIR/lines" && [ "$(lines "$TMPDIR/lines")" = "$2 $2" ]
}
soon all_there 1 32
report "of thirty lines in a row none is lost and none comes twice"
soon all_there 2 32
report "nor of those of another node at the same time"

# ---- the queue -----------------------------------------------------------------------------------------------------

at_node teacher warpbook room serve >"$TMPDIR/serving" 2>&1 </dev/null &
served() { there learner1 shares && [ -s "$room/out/queue.json" ]; }
soon served
export WARPBOOK_WORKER='warpbook worker --room'
runs_there() { there learner1 run vecadd/grid-stride --size small --on gpu && [ "$status" = 0 ]; }
soon runs_there
report "a run goes through the queue of another node"
remark "until it was right"
export WARPBOOK_WORKER=

# ---- the end ---------------------------------------------------------------------------------------------------------

there teacher room close --forget
expect "the room ends" 0 'is closed'
gone() { ! at_node learner2 [ -e "$room" ]; }
soon gone
report "on the other nodes too"
there learner2 shares
expect "where learners read it" 0 'is gone'
printf 'Q' >&7
exec 7>&-
wait $screen
