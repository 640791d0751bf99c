#!/bin/sh
# Completion for bash, zsh and fish: every command and every flag that help lists is offered, and so are labs, steps,
# lessons, explorers and the values of flags.
set -u
. tests/expect.sh

PATH=$(dirname "$WARPBOOK"):$PATH

commands() { # the commands that help lists
    "$WARPBOOK" help | sed -n 's/^  \([a-z][a-z-]*\).*/\1/p'
}

flags() { # flags COMMAND
    "$WARPBOOK" help "$1" | sed -n 's/^  \(--[a-z][a-z-]*\) .*/\1/p'
}

# ---- what the program offers -----------------------------------------------------------------------------------

offers() { # offers LINE WORD...: each word is a candidate after LINE
    warpbook shell --complete "$1"
    shift
    for word_; do
        cut -f 1 "$out" | grep -qxF -- "$word_" || return 1
    done
}

# shellcheck disable=SC2046 # one word for each command or flag
every_command() {
    [ "$(commands | wc -l)" -gt 10 ] && offers "" $(commands) && [ "$(wc -l <"$out")" = "$(commands | wc -l)" ]
}
test_that "every command is offered, and nothing else" every_command

# shellcheck disable=SC2046
for command in $(commands); do
    if [ -n "$(flags "$command")" ]; then
        test_that "every flag of $command is offered" offers "$command --" $(flags "$command")
    fi
done

# shellcheck disable=SC2086
test_that "labs are offered" offers "run " $labs histogram/
test_that "steps are offered" offers "run vecadd/" vecadd/1-one-thread
test_that "lessons are offered" offers "lesson 0" 06-coalescing
test_that "and their parts after a dot" offers "lesson 06-coalescing." 06-coalescing.2
test_that "by the number as well" offers "lesson 6." 6.1
test_that "explorers are offered" offers "explore " banks waves
test_that "their knobs are offered" offers "explore banks " stride=
test_that "pages are offered" offers "open " bench explore
test_that "the values of a flag are offered" offers "run vecadd --on " gpu cpu all sim
warpbook shell --complete "run --siz"
expect "a flag comes with its sentence" 0 silent "a size that the lab names"
warpbook shell --complete "nosuch "
expect "after an unknown command nothing is offered" 0 silent
test_that "and nothing is printed" test ! -s "$out"
warpbook shell --complete "note 'open"
expect "after an open quote nothing is offered" 0 silent not-out "note"
mkdir "$TMPDIR/files"
: >"$TMPDIR/files/$(printf 'a\tb\033c.cu')"
: >"$TMPDIR/files/plain.cu"
(cd "$TMPDIR/files" && "$WARPBOOK" shell --complete "run " >"$out" 2>"$err")
status=$?
expect "a name that could steer a terminal is not offered" 0 silent "plain.cu" not-out "c.cu"

# ---- bash -------------------------------------------------------------------------------------------------------

in_bash() { # in_bash LINE: what completing LINE offers, as bash calls the function
    # shellcheck disable=SC2016
    bash --norc -c '
        . assets/manual/warpbook.bash || exit 1
        complete -p warpbook | grep -q -- "-F _warpbook" || exit 1
        COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9 COMP_KEY=9
        read -ra COMP_WORDS <<<"$1"
        case $1 in *" ") COMP_WORDS+=("") ;; esac
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        word=${COMP_WORDS[COMP_CWORD]}
        _warpbook warpbook "${word##*=}" "" || exit 1
        printf "%s\n" "${COMPREPLY[@]}"' bash "$1" >"$out" 2>"$err"
    status=$?
}

if command -v bash >/dev/null; then
    # shellcheck disable=SC2046
    bash_commands() {
        in_bash "warpbook "
        for word_ in $(commands); do
            grep -qx "$word_" "$out" || return 1
        done
    }
    test_that "bash offers every command" bash_commands
    in_bash "warpbook sim --"
    expect "bash offers flags" 0 silent "--check --data --debug --gpu --instructions"
    in_bash "warpbook run histogram/3"
    expect "bash offers steps" 0 silent "histogram/3-shared"
    in_bash "warpbook explore banks str"
    expect "bash offers knobs" 0 silent "stride="
    in_bash "warpbook nosuch "
    expect "bash offers nothing after an unknown command" 0 silent
else
    echo "skip bash bash is not installed"
fi

# ---- zsh --------------------------------------------------------------------------------------------------------

if command -v zsh >/dev/null; then
    # The two functions of zsh's completion system that the file calls show here what they are given.
    # shellcheck disable=SC2016
    zsh -f -c '
        _describe() { print -l -- $whole $open }
        _files() { print files }
        words=(warpbook run "") LBUFFER="warpbook run hist"
        . assets/manual/_warpbook
        LBUFFER="warpbook sim --ch"; . assets/manual/_warpbook
        LBUFFER="warpbook nosuch "; . assets/manual/_warpbook' >"$out" 2>"$err"
    status=$?
    expect "zsh offers labs, flags and files" 0 silent "histogram: histogram/: --check:what is counted" "files"
else
    echo "skip zsh zsh is not installed"
fi

# ---- fish -------------------------------------------------------------------------------------------------------

if command -v fish >/dev/null; then
    fish --no-config -c 'source assets/manual/warpbook.fish
        complete -C "warpbook run hist"; complete -C "warpbook sim --ch"; complete -C "warpbook report --to Make"' \
        >"$out" 2>"$err"
    status=$?
    expect "fish offers labs, flags and files" 0 silent "histogram histogram/" "what is counted" "Makefile"
else
    echo "skip fish fish is not installed"
fi
