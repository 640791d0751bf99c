cat program.jsonl >$WARPBOOK_EXEC_REPORT
echo the sum is 2048
