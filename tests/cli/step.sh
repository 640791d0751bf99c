#!/bin/sh
# sim --step: commands on stdin, what they show, and input that means nothing.
set -u
. tests/expect.sh
no_gpu

walk=tests/data/step.ptx

walks() { # walks FILE COMMAND...: one command a line
    file=$1
    shift
    printf '%s\n' "$@" | "$WARPBOOK" sim "$file" --step >"$out" 2>"$err"
    status=$?
}
lines_with() { # lines_with COUNT TEXT: so many lines hold it
    [ "$(grep -c -- "$2" "$out")" = "$1" ]
}

# ---- the way

walks $walk
expect "without commands it shows the start" 0 silent "step 0: block 0 (0,0,0) of 1, warp 0 of 2, walk" \
    "ld.param.u64" "active 32 of 32 lanes, mask ffffffff"
walks $walk step s "s 3" back "b 2" where
expect "it goes forward and back" 0 silent "step 1:" "step 5:" "step 4:" "step 2:"
walks $walk "s 9" where "s 4" "b 4"
same() { [ "$(tail -n 3 "$out")" = "$(sed -n 4,6p "$out")" ]; }
test_that "back shows what was there before" same
walks $walk back
expect "nothing lies before the start" 0 silent "This is the start."
walks $walk "s 999" s
expect "nothing lies beyond the end" 1 silent "the end of the launch" "The launch ends before that."
walks $walk conflict where line-back conflict conflict
expect "to a conflict, and back a line" 0 silent "2 wavefronts, 1 would do, 1 conflict" "step 8:" "step 7:" \
    "step 23:"
walks $walk "s 2" barrier barrier barrier where
expect "where there is none it stays where it was" 0 silent "There is none up to the end of the launch"
walks $walk barrier regs
expect "to a barrier" 0 silent "bar.sync 0" "uses no register"
walks $walk "goto 0 1" where "goto 0 0" "goto 5 0" "goto 0 9" goto "goto x y"
expect "to a warp, and back to one before it" 0 silent "warp 1 of 2" "no such block and warp" \
    "takes a block and a warp" "'x' is not a number"
walks $walk finding findings
expect "to a finding, which makes the status 1" 1 silent "error: race in shared memory, line 34 of the PTX" "tile[0]"
walks $walk findings end findings start findings
expect "findings come and go with the steps" 1 silent "No findings so far." "race in shared memory"
test_that "before it and back at the start there are none" lines_with 2 "No findings so far"

# ---- variables of the source

named=tests/data/variables/names.clang.ptx
walks $named vars line line line line line line line line line vars "vars x" "vars both.b" "vars tile[1][2]" "vars four[9]"
expect "variables have names, types and values" 0 silent "int n: no value yet" "int x: " "lane 8: 8 9 10 11" \
    "const float * at: " "&in[0] &in[1]" "float both.b: " "int tile[1][2]: no value yet" \
    "There is no variable 'four[9]' here"
walks $walk vars
expect "other PTX names none" 0 silent "This code names no variables of the source"
refuses "--debug is for --step alone" sim $walk --debug

stopped=tests/data/trap.ptx
walks $stopped end findings shared regs lanes
expect "what a launch that was stopped has not written is no finding" 1 silent \
    "step 1: the launch was stopped here" "error: trap" not-out "never written" "has no shared memory" \
    "uses no register"
test_that "and nobody is there to look at" lines_with 3 "No warp runs any more."
sed 's|^//@ launch.*|&\n&|' $stopped >"$TMPDIR/stopped.ptx"
walks "$TMPDIR/stopped.ptx" launch
expect "no launch comes after one that was stopped" 1 silent "step 1: the launch was stopped here"
test_that "so that none starts" lines_with 1 "step 0:"
walks tests/data/spin.ptx end
expect "where a trace goes no further, the launch has not ended" 0 silent "no further than 5000000 steps" \
    "the launch has not ended" "step 5000000: block 0"

# ---- what it shows

walks $walk "s 10" lanes stack
expect "a split warp shows its masks" 0 silent "fffffff8" "...#############################" "exist ffffffff" \
    "joins the others at ptx" "waits ffffffff"
walks $walk "s 8" access "reg r4" "reg %p1" "shared 0 8"
expect "a shared access shows banks, values and conflicts" 0 silent "shared store of 4 bytes per lane by 32 lanes" \
    "2 wavefronts, 1 would do, 1 conflict" "lane 16: shared tile[32] at 0x80, bank 0, wrote 0x10" \
    "lane 8: 64 72 80" "all lanes: false" "00000000 00000000 00000001 00000000"
walks $walk barrier access
expect "a global access shows sectors" 0 silent "global store of 4 bytes" "4 sectors, 4 would do" \
    "global out[31]" "sector 3, wrote 0x83"
truth=tests/data/truth/tensor/mma_f16_k16
{ grep '^//@' $truth.cu; cat $truth.ptx; } >"$TMPDIR/mma.ptx"
walks "$TMPDIR/mma.ptx" matrices matrix "matrices 5" "matrices x"
expect "to the next product, whose matrices are drawn" 0 silent "spreads no matrix over the lanes" \
    "mma.sync.aligned.m16n8k16" "A, 16 x 16 of f16" "D, 16 x 8 of f32" "*0a 1a 2a 3a *0c" "1a *5a 9a" "matrices N: lane N" \
    "'x' is not a number"
sed -n "s/^file sparse.ptx //p" tests/screen/step-sparse.script | sed 's/\\n/\n/g' >"$TMPDIR/sparse.ptx"
walks "$TMPDIR/sparse.ptx" matrix "matrices 5"
expect "of a sparse product, where the elements of A belong and who says so" 0 silent "A in full, 16 x 16: 2 of each 4 are held" \
    "1 *5 ..xx ..aa ..xx ..xx" "8 1 xx.. xx.. xx.. xx.." "9 *5 xx.. bb.. xx.. xx.." "metadata in %r3" not-out "2: two in one place"
walks "$TMPDIR/sparse.ptx" matrix "s 1" "matrices 9"
expect "metadata that put two elements in one place are seen" 0 silent "A in full, 16 x 32" "2 8 2... 2... 2... 2... *9 2..." \
    "2: two in one place"
for kind in tf32 s4; do
    { grep '^//@' tests/data/truth/sparse/sp_$kind.cu; cat tests/data/truth/sparse/sp_$kind.ptx; } >"$TMPDIR/sparse-$kind.ptx"
done
walks "$TMPDIR/sparse-tf32.ptx" matrix matrices
expect "of tf32, one of two" 0 silent "A in full, 16 x 8: 1 of each 2 is held"
walks "$TMPDIR/sparse-s4.ptx" matrix matrices
expect "of four bits, two of four pairs" 0 silent "A in full, 16 x 64: 2 of each 4 pairs are held"
remote=tests/data/truth/cluster/cl_read
{ grep '^//@' $remote.cu; cat $remote.ptx; } >"$TMPDIR/remote.ptx"
walks "$TMPDIR/remote.ptx" "s 858" access # block 3 reads block 0
expect "an access to another block names it and what it costs" 0 silent "4 sectors and 1 wavefront in other blocks" \
    "lane 0: shared s[96] of rank 0 at 0x180" not-out "would do"
walks $walk "goto 0 1" warps
expect "the warps of the block" 0 silent "warp 0: waits at barrier 0" "warp 1: runs"
walks histogram/3 "goto 60 2" line line stack where
expect "a lab is walked at its small size, by lines of its source" 0 silent "block 60 (60,0,0)" "line " "ptx "
walks $walk printed "s 4" "reg rd3"
expect "addresses are hexadecimal, nothing printed is said" 0 silent "printed nothing so far" "0x1800000000000"
walks histogram/3 help quit bogus
expect "help lists the commands, quit ends" 0 silent "step, s [N]" "reg, r NAME" not-out "bogus"

# ---- input that means nothing

walks $walk stp bogus "" "   " "s -1" "s 1x" "s 99999999999999999999" reg "reg %nope" "shared 99999999999 4" \
    "shared -1" where
expect "a slip is answered and stepping goes on" 0 silent "Did you mean step?" "There is no command 'bogus'" \
    "'-1' is not a number" "'1x' is not a number" "takes the name of a register" "There is no register '%nope'" \
    "step 0:"
walks $walk "$(printf 'reg \033[31m\001\200x')" "$(head -c 5000 /dev/zero | tr '\0' x)" where
expect "escape sequences and long lines are harmless" 0 silent "at most 199 characters" "step 0:"
head -c 20000 /dev/urandom | "$WARPBOOK" sim $walk --step >"$out" 2>"$err"
status=$?
random() { { [ $status = 0 ] || [ $status = 1 ]; } && ! raw_controls "$out"; }
test_that "noise is harmless" random
printf 's 3' | "$WARPBOOK" sim $walk --step >"$out" 2>"$err"
status=$?
expect "the last line needs no end" 0 silent "step 3:"
walks histogram end
expect "a lab alone is not walked" 2 err "Name a step of the lab"

# ---- flags that mean nothing here

refuses "--step does not work with --threads: it walks on one thread." sim $walk --step --threads 2
refuses "--step does not work with --json: it leaves no record." sim $walk --json --step
refuses "--step does not work with --instructions" sim $walk --step --instructions
