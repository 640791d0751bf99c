# A class for screens: a room in the present folder, opened by whoever looks at it. Every moment in it is a fixed one.
set -e
# Learners share this account, so that one can write for all of them.
mkdir -p class/in class/keep class/out class/q rooms
chmod 3733 class/in
echo '{"v":1,"at":"2026-01-01T09:00:00Z","word":"maple-otter","title":"CUDA day 1","claimed":true}' >class/room.json
echo '{"v":1,"kind":"open"}' >class/notices.jsonl
printf %s "$PWD/class" >rooms/opened

number=0
learner() { # learner NAME LESSON ITEM SINCE: with further lines on stdin, numbered from 3 on
    number=$((number + 1))
    token=$(printf %032d $number)
    printf '{"uid":%d,"token":"%s","as":"%s"}\n' "$(id -u)" $token "$1" >>class/keep/roster.jsonl
    {
        printf '{"v":1,"n":1,"at":"2026-01-01T09:00:00Z","kind":"join","as":"%s","warpbook":"0.1"}\n' "$1"
        printf '{"v":1,"n":2,"at":"2026-01-01T%sZ","kind":"at","page":"lesson","lesson":"%s","item":"%s"}\n' "$4" "$2" "$3"
        cat
    } >class/in/$token.jsonl
}

learner heron-07 02-questions one 09:20:00 <<'END'
{"v":1,"n":3,"at":"2026-01-01T09:21:00Z","kind":"light","is":"red","text":"what is a sector?"}
{"v":1,"n":4,"at":"2026-01-01T09:29:00Z","kind":"vote","poll":1,"round":1,"choice":1}
END
learner lynx-31 02-questions one 09:22:00 <<'END'
{"v":1,"n":3,"at":"2026-01-01T09:25:00Z","kind":"light","is":"red"}
{"v":1,"n":4,"at":"2026-01-01T09:29:00Z","kind":"vote","poll":1,"round":1,"choice":0}
END
learner otter-12 02-questions typed 09:26:00 <<'END'
{"v":1,"n":3,"at":"2026-01-01T09:27:00Z","kind":"light","is":"green"}
{"v":1,"n":4,"at":"2026-01-01T09:29:00Z","kind":"vote","poll":1,"round":1,"choice":1}
END
learner crane-02 02-questions one 09:10:00 </dev/null
learner swan-09 02-questions one 09:24:00 <<'END'
no line
{"v":1,"n":3,"at":"2026-01-01T09:29:30Z","kind":"vote","poll":1,"round":1,"choice":1}
END
learner wolf-22 01-text "" 09:28:00 <<'END'
{"v":1,"n":3,"at":"2026-01-01T09:30:00Z","kind":"vote","poll":1,"round":1,"choice":0}
END
