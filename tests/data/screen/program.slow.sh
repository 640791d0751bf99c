# Prints at once what it has, and would run for long.
echo 'round 1'
exec sleep 600
