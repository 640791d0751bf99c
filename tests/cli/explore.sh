#!/bin/sh
# explore on the command line: the list, each picture, turning knobs, and what is refused.
set -u
. tests/expect.sh

explorers="grid divergence coalescing banks occupancy waves model step"

warpbook explore
expect "alone it lists the explorers and their knobs" 0 silent $explorers "stride" "(0 to 64)" "blocks along x"
test_that "all that completion knows" [ "$("$WARPBOOK" shell --complete "explore " | cut -f 1 | sort | tr '\n' ' ')" = \
    "$(printf '%s\n' $explorers | sort | tr '\n' ' ')" ]

for name in $explorers; do
    warpbook explore "$name"
    expect "$name draws with its knobs as they start" 0 silent
    test_that "and says something" [ "$(wc -l <"$out")" -gt 4 ]
    if terminals_here; then
        on_terminal 60 "explore $name"
        test_that "$name fits a narrow terminal" fits 60
    fi
    LC_ALL=C warpbook explore "$name"
    expect "$name draws in ASCII" 0 silent
    test_that "with nothing else" sh -c "! LC_ALL=C grep -q '[^ -~]' '$out'"
    "$WARPBOOK" shell --complete "explore $name " | cut -d = -f 1 >"$TMPDIR/knobs"
    test_that "$name has knobs" [ -s "$TMPDIR/knobs" ]
    while read -r knob; do
        [ "$knob" != if ] || continue # a text; what is wrong with it is in the picture
        warpbook explore "$name" "$knob=~"
        expect "$knob of $name refuses nonsense" 2 err "$knob"
    done <"$TMPDIR/knobs"
done

warpbook explore histogram/3
expect "a step of a ladder is one too" 0 silent "v3: bins in shared memory. 256 blocks of 256 threads" "modelled for H100"
warpbook explore histogram/3 shared=100
expect "that answers to shared memory" 0 silent "2 fit on each of 132 SMs"
warpbook explore step histogram/3 registers=255
expect "and to registers" 0 silent "1 fit on each of 132 SMs"
warpbook explore step matvec/2 shared=100 size=n=64
expect "whose sizes are those of its lab" 2 err "no parameter 'n'"
warpbook explore vecadd/3 block=64
expect "and to its block, which the grid follows" 0 silent "1,024 blocks of 64 threads" "block 1024 " not-out "no time"
warpbook explore reduction/5
expect "a time is shown for blocks with which the result is right" 0 silent "reduce_modulo: 2,048 blocks of 128" "no time" "Choose a block without a time"
warpbook explore reduction/5 block=256
expect "and another one says why there is none" 0 silent "A check found an error" "smem[128], past its end" "Line 15 of the file has the number 128"
warpbook explore transpose/3 size=rows=64 block=256
expect "a block that leaves out results has none either" 0 silent "block 16x16 no time" "out[16] is never written" not-out "overlap"
warpbook explore transpose/3 size=rows=64 block=128
expect "a square block stays square" 0 silent "No square block has 128 threads."
warpbook explore matvec/2 block=128
expect "a block that the data sets is not turned" 0 silent "is L, which the size of the data"
warpbook explore tests/data/explore/hurried.cu
expect "a kernel file is one too" 0 silent "hurried. 128 blocks of 32 threads" "modelled for H100" "no time"
tile=tests/data/explore/tile.cu
warpbook explore $tile block=1024
expect "names of the code that stand for the block follow it" 0 silent "64 blocks of 1024 threads" "4224 bytes" \
    "block 8x8" "have the new one" "modelled for H100"
for line in "constexpr int SIDES = 2, TILE = 16;" "enum { SIDES = 2, TILE = 16 };" "static const int TILE = 16;"; do
    sed "s|^#define TILE 16.*|$line|" $tile >"$TMPDIR/named.cu"
    warpbook explore "$TMPDIR/named.cu" block=64
    expect "so does: $line" 0 silent "1,024 blocks of 64 threads" "288 bytes"
done
sed 's|^#define TILE 16.*|#define TILE (8 + 8)|' $tile >"$TMPDIR/named.cu"
warpbook explore "$TMPDIR/named.cu" block=64
expect "a number that is computed does not" 0 silent "No time: A check found an error" "in[65536]"
warpbook explore tests/data/explore/hurried.cu block=64
expect "and a race leaves no time, though what comes out is the same" 0 silent "A check found an error" "reads seen[0] in line 12 while thread (0,0,0)" not-out "overlap"
warpbook explore tests/data/explore/hurried.cu size=n=1024
expect "its parameters are its sizes" 0 silent "32 blocks of 32 threads"
warpbook explore tests/data/explore/hurried.cu size=full
expect "of which it has no names" 2 err "has no size 'full'" "size=n=4096"
sed 's/+ (other < 0)/+ blockIdx.x/' tests/data/explore/hurried.cu >"$TMPDIR/index.cu"
sed -i '/seen/d' "$TMPDIR/index.cu"
warpbook explore "$TMPDIR/index.cu" block=64
expect "where no answers are known, what comes out must stay" 0 silent "leaves other data than the block that is written"
printf '%s\n' "//@ param n = 4096" "//@ buffer x int[n] = 0" "//@ launch turns<<<1, 32>>>(x)" \
    "__global__ void turns(int *x)" "{" "    for (long long i = 0; i < 1ll << 50; i++)" \
    "        x[threadIdx.x] ^= (int)(x[threadIdx.x] * i);" "}" >"$TMPDIR/long.cu"
warpbook explore "$TMPDIR/long.cu"
expect "one that takes too long says what may be smaller" 0 silent "did not run to its end" "such as n=2048"
warpbook explore tests/data/explore/hurried.ptx
expect "PTX has no launch to turn" 2 err "is PTX"
warpbook explore histogram/77
expect "which must be there" 2 err "histogram has no step '77'"

warpbook explore banks stride=1
expect "neighbours have no conflict" 0 "1 pass" not-out "Conflict"
warpbook explore banks stride=2
expect "a knob changes the picture" 0 "2 passes, 1 would be ideal" "Conflict: bank 0"
warpbook explore banks stride=32
expect "a column is the worst" 0 "32 passes, 1 would be ideal"
warpbook explore banks stride=32 pad=1
expect "several knobs, and padding helps" 0 "1 pass" not-out "Conflict"
warpbook explore banks stride=2 stride=1
expect "the last value of a knob counts" 0 "1 pass" not-out "Conflict"
warpbook explore coalescing stride=1
cp "$out" "$TMPDIR/first"
warpbook explore coalescing stride=8
test_that "coalescing answers to its stride" sh -c "! cmp -s '$out' '$TMPDIR/first'"
warpbook explore divergence "if=lane < 16"
expect "a condition is an expression" 0 "lane < 16" silent
warpbook explore divergence "if=lane <"
expect "and an error in it has its place" 2 err "if:1:7: error: expected a value"
warpbook explore occupancy registers=255
expect "occupancy names its limiter" 0 "by registers (decides)"
warpbook explore waves blocks=1
expect "one block is one wave" 0 "1 wave"
warpbook explore model kernel=tree block=1024
expect "a launch has a time and its terms" 0 silent "block 1024 ≈" "latency" "ms" "They overlap"
warpbook explore model gpu=t4 shared=96
expect "and none where a block does not fit" 0 "No time: A block does not fit"

warpbook explore stencil/1 block=512
expect "threads that a larger block adds are told" 0 "These are 2.0 times the threads of the launch"
refuses "There is no explorer 'nosuch'" explore nosuch
refuses "Did you mean banks?" explore bnks
refuses "has no knob 'foo'" explore banks foo=1
refuses "stride takes 0 to 64, not '65'" explore banks stride=65
refuses "stride takes 0 to 64, not '-1'" explore banks stride=-1
refuses "Write KNOB=VALUE" explore banks stride
refuses "nothing is called nonsense here" explore divergence if=nonsense
refuses "'if' takes a condition over i or tid, lane, warp and blockDim, such as" explore divergence if=nonsense
refuses "'if' takes a condition" explore divergence "if=lane <"
refuses "'if' takes a condition" explore divergence "if=lane / 0"
refuses "has no flag --json" explore banks --json
