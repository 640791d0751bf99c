# Completion for fish. The program itself says what could come next, from its own tables.

function __warpbook_complete
    set -l command (commandline -opc)[1]
    set -l typed (string replace -r '^\s*\S+\s+' '' -- (commandline -cp))
    set -l offered ($command shell --complete "$typed" 2>/dev/null)
    if test (count $offered) -gt 0
        printf '%s\n' $offered
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c warpbook -f -a '(__warpbook_complete)'
