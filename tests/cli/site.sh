#!/bin/sh
# What is set for a site: which file counts, which is ignored and why, and what is made of it.
set -u
. tests/expect.sh
no_gpu
unset WARPBOOK_LOCKS
file=$TMPDIR/site.conf
export WARPBOOK_SITE="$file"

warpbook site
expect "without a file nothing is set" 0 silent 'worker not set' "$file"

# A worker that tells how it was started.
cat >"$TMPDIR/stub" <<ASIS
#!/bin/sh
echo "\$SLURM_RESERVATION,\$SBATCH_RESERVATION,\$SLURM_ACCOUNT,\$LOADED" >"$TMPDIR/started"
exec "$WARPBOOK" worker
ASIS
chmod +x "$TMPDIR/stub"
started() { # started NAME WORDS
    rm -f "$TMPDIR/started"
    warpbook run vecadd --size small --on cpu --reps 1
    [ "$(cat "$TMPDIR/started" 2>/dev/null)" = "$2" ] && [ "$status" = 0 ]
    report "$1"
}
cat >"$file" <<ASIS
# the cluster
worker = $TMPDIR/stub
  before=echo loaded cuda; LOADED=yes; export LOADED

reservation = cuda-course
account = m1759
ASIS
chmod 644 "$file"
started "the worker is started by the file's line, after what comes before it" "cuda-course,cuda-course,m1759,yes"
warpbook site
expect "site shows what is set and by which file" 0 "worker $TMPDIR/stub" "reservation cuda-course ($file)"
warpbook doctor
expect "so does doctor" 0 "site $file" 'settings of the site' 'runs go to: export SLURM_RESERVATION'
WARPBOOK_WORKER="'$TMPDIR/stub'" started "a variable wins over the file, and takes what comes before with it" ",,,"
rm "$TMPDIR/started"
WARPBOOK_WORKER='' warpbook run vecadd --size small --on cpu --reps 1
test_that "one that is set to nothing takes the file's line back" [ "$status" = 0 -a ! -e "$TMPDIR/started" ]

# ---- what does not count ---------------------------------------------------------------------------------------

ignored() { # ignored NAME TEXT: the file says nothing, and that is said
    warpbook site
    expect "$1 is ignored" 1 silent 'worker not set' "$2"
    warpbook run vecadd --size small --on cpu --reps 1
    expect "and a run says so" 0 err "$file: " "$2"
}
chmod 664 "$file"
ignored "a file that others may write" 'may be written by others'
chmod 644 "$file"
printf 'worker = stub\nrooms = \033[2J\n' >"$file"
ignored "one with control characters" 'control characters'
printf 'worker = \342\200\256stub\n' >"$file"
ignored "one that turns the direction of writing" 'control characters'
{ echo 'worker = stub' && head -c 17000 /dev/zero | tr '\0' '#'; } >"$file"
ignored "one that is too long" 'longer than 16 KiB'
rm "$file" && mkfifo "$file"
ignored "one that is no file" 'no ordinary file'
rm "$file"
echo 'worker = stub' >"$file"
if [ "$(id -u)" = 0 ]; then
    chown 12345 "$file"
    ignored "one of another account" 'neither to root nor to you'
    cp "$WARPBOOK" "$TMPDIR/theirs" && chown 12345 "$TMPDIR/theirs"
    WARPBOOK_DATA=$ROOT "$TMPDIR/theirs" site >"$out" 2>"$err"
    status=$?
    expect "but counts where the program is that account's, too" 0 silent 'worker stub'
    rm "$file"
else
    echo "skip one of another account: only root gives files away"
fi

printf 'worker\nwrker = a\nreservation = a; rm x\nlocks = /x\nlocks = /y\n' >"$file"
warpbook site
expect "a line that is wrong is named, the others count" 1 silent 'locks /x' 'line 1: ' "line 2: there is no setting wrker" \
    'line 3: ' 'line 5: it is set a second time' 'reservation not set'
{ printf 'worker = ' && head -c 1500 /dev/zero | tr '\0' a && echo; } >"$file"
warpbook site
expect "and one that is too long" 1 silent 'more than 1000 bytes' 'worker not set'

# ---- whose file ------------------------------------------------------------------------------------------------

unset WARPBOOK_SITE
echo 'rooms = /mine' >"$WARPBOOK_HOME/site.conf"
warpbook site
expect "your own file comes first" 0 silent "rooms /mine ($WARPBOOK_HOME/site.conf)" '/etc/warpbook.conf'
WARPBOOK_ROOMS=/other warpbook site
expect "and a variable before it" 0 'rooms /other (WARPBOOK_ROOMS)'

# ---- init ------------------------------------------------------------------------------------------------------

export WARPBOOK_SITE="$file"
rm -f "$file"
WARPBOOK_WORKER="ssh box warpbook worker" warpbook site init --to "$file"
expect "init writes a file with what is set" 0 silent "Written to $file"
warpbook site
expect "which counts as it is" 0 silent "worker ssh box warpbook worker ($file)"
cp "$file" "$TMPDIR/before"
refuses 'already exists' site init --to "$file"
test_that "what is there is kept" cmp -s "$file" "$TMPDIR/before"
warpbook site init --to "$file" --force
expect "but with --force" 0 silent "Written to"
refuses "not 'inti'" site inti
refuses "belong to 'site init'" site --force
