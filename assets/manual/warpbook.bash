# Completion for bash. The program itself says what could come next, from its own tables.

_warpbook() {
    local typed=${COMP_LINE:0:COMP_POINT} word=$2 line
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("${line%%$'\t'*}")
    done < <("$1" shell --complete "${typed#*[[:blank:]]}" 2>/dev/null)
    # What is typed so far may hold a character that starts a new word for bash, such as '='.
    local whole=${typed##*[[:blank:]]}
    if [ "$whole" != "$word" ] && [ "${whole%"$word"}" != "$whole" ]; then
        COMPREPLY=("${COMPREPLY[@]#"${whole%"$word"}"}")
    fi
    case ${COMPREPLY[0]-} in */ | *=) compopt -o nospace 2>/dev/null || : ;; esac
}
complete -o default -F _warpbook warpbook
