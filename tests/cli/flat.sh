#!/bin/sh
# Without frames, bars and signs, for those who listen: --flat on the screen, WARPBOOK_FLAT for every command.
set -u
. tests/expect.sh

# Frames, blocks and other drawn characters, in UTF-8.
drawn='─|│|┼|█|▏|▌|○|◐|●|✓|✗|…|›|·|•'

warpbook lesson 6
test_that "a lesson draws frames" grep -qE "$drawn" "$out"
for command in "lesson" "lesson 6" "explore" "explore occupancy" "explore waves" "list histogram" "show histogram/3" \
    "explain warp" "run vecadd --on cpu --size small --chart" "doctor" "workbook" "help"; do
    WARPBOOK_FLAT=1 warpbook $command
    test_that "flat, '$command' prints something" [ -s "$out" ]
    test_that "and draws nothing" sh -c "! grep -nE '$drawn' '$out'"
done
WARPBOOK_FLAT='' warpbook lesson 6
test_that "set to nothing, it is not set" grep -qE "$drawn" "$out"

WARPBOOK_FLAT=1 warpbook run vecadd --on cpu --size small --chart
expect "a chart says its times in words" 0 "of the slowest"
warpbook help open
expect "help names the flag" 0 silent "--flat" "screen readers"
