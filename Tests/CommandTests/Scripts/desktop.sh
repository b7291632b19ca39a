#!/bin/bash
# desktop.sh PHASE VAULT FOLDER: a real dconf in a session of its own, without a display.
set -euo pipefail
phase=$1 vault=$2 folder=$3
home=$phase
[ "$phase" = synced ] && home=one
[[ $phase == space* ]] && home=${phase%-*}
export HOME=$folder/$home XDG_CONFIG_HOME=$folder/$home/.config XDG_RUNTIME_DIR=$folder/$home/run
export XDG_DATA_DIRS=/usr/share LC_ALL=C.UTF-8 GSETTINGS_BACKEND=dconf
mkdir -p -m 700 "$HOME" "$XDG_CONFIG_HOME" "$XDG_RUNTIME_DIR"
# dconf's service gets the environment that the bus has.
if [ "$phase" != without ] && [ -z "${IN_SESSION:-}" ]; then
    # What the tests run in may block the signal that ends the bus.
    IN_SESSION=1 exec env --default-signal=TERM dbus-run-session -- bash "$0" "$@"
fi
d() { "$vault" defaults "$@"; }
is() { [ "$1" = "$2" ] || { echo "$3: '$1' is not '$2'" >&2; exit 1; }; }

case $phase in
one)
    # 300 keys of every type.
    values=("'it is'" 5 'uint32 7' 0.5 true "['a', 'b']" '@as []' '(1, 2)' "{'a': <5>}" '[byte 0x01, 0x02]')
    for group in {1..30}; do
        echo "[test/group$group]"
        for key in {0..9}; do echo "key$key=${values[$key]}"; done
        echo
    done | dconf load /
    is "$(d record dconf --once)" 'Recorded 300 changes.' record
    is "$(d record dconf --once)" '' 'record again'
    d snapshot before >/dev/null
    # What programs change, the journal has.
    gsettings set org.gnome.desktop.interface clock-format 12h
    gsettings set org.gnome.desktop.session idle-delay 600
    dconf reset /test/group1/key0
    (d --dconf diff before || :) | grep -q clock-format
    d --dconf history org.gnome.desktop.interface | grep -q "dconf.*clock-format.*12h"
    is "$(d --dconf read org.gnome.desktop.session idle-delay)" 600 'uint32 by its schema'
    is "$(d --dconf read --gvariant org.gnome.desktop.session idle-delay)" 'uint32 600' gvariant
    d --dconf undo >/dev/null
    is "$(gsettings get org.gnome.desktop.interface clock-format)" "'24h'" undo
    is "$(dconf read /test/group1/key0)" "'it is'" 'undo of a reset'
    # What we write, programs see, held to GSettings' own schema.
    d --dconf write org.gnome.desktop.interface clock-format 12h
    is "$(gsettings get org.gnome.desktop.interface clock-format)" "'12h'" write
    d --dconf write org.gnome.desktop.session idle-delay -int 900
    is "$(gsettings get org.gnome.desktop.session idle-delay)" 'uint32 900' 'write of uint32'
    # What is written is what dconf gives back: the next line sees no change.
    d --dconf write org.gnome.desktop.interface text-scaling-factor -float 1.1
    is "$(gsettings get org.gnome.desktop.interface text-scaling-factor)" 1.1000000000000001 'write of a float'
    is "$(d record dconf --once)" '' 'a float is no change'
    d --dconf write org.gnome.desktop.interface text-scaling-factor -int 1
    is "$(d record dconf --once)" '' 'a whole number is no change'
    printf '["dconf:/test/group2/"]\nwide = { "$float" = 2.5 }\nlist = [{ "$float" = 0.1 }]\nin = { a = { "$float" = 0.5 } }\nbig = { "$unsigned" = "5" }\n' >"$folder/wide.toml"
    printf '"org.gnome.desktop.session" = { idle-delay = { "$dictionary" = ["$gvariant", "uint32 600"] } }\n' >>"$folder/idle.toml"
    for file in wide idle; do
        d --dconf apply "$folder/$file.toml" >/dev/null
        is "$(d record dconf --once)" '' "apply of $file is no change"
        d --dconf apply --dry-run "$folder/$file.toml" >/dev/null
        d --dconf diff "$folder/$file.toml"
    done
    printf '{"wide": {"$float": 3.5}}' | d --dconf import --format json /test/group2/ -
    is "$(d record dconf --once)" '' 'import is no change'
    d --dconf undo 5 >/dev/null
    if d --dconf write org.gnome.desktop.interface clock-format 13h 2>/dev/null; then exit 2; fi
    if d --dconf write org.gnome.desktop.session idle-delay -int -1 2>/dev/null; then exit 3; fi
    d --dconf write /test/group2/ key2 --gvariant 'uint32 8'
    is "$(dconf read /test/group2/key2)" 'uint32 8' 'write --gvariant'
    # What is in a variant keeps its type.
    dconf write /test/group2/odd "{'x': <uint32 5>}"
    is "$(d --dconf read --gvariant /test/group2/ odd)" "{'x': <uint32 5>}" 'a variant'
    d --dconf delete /test/group2/ odd
    is "$(d --dconf write org.not.installed k 1 2>&1)" \
      'defaults: warning: no schema org.not.installed is installed: there may be no program that reads this key' schema
    d --dconf undo >/dev/null
    d --dconf undo >/dev/null
    is "$(dconf read /test/group2/odd)" "{'x': <uint32 5>}" 'a variant again'
    # Lines with --dconf leave our own domains alone.
    d write com.own k 1
    d --dconf write /test/group2/ mine 1
    d write com.own k 2
    if d --dconf history | grep -q com.own; then exit 9; fi
    d --dconf undo >/dev/null
    is "$(d read com.own k)$(dconf read /test/group2/mine)" 2 'undo with --dconf'
    # A line without a domain has the desktop's latest value, too.
    dconf write /test/group2/late 5
    d snapshot late >/dev/null
    dconf write /test/group2/late 6
    (d diff late || :) | grep -q late
    d delete com.own
    # A text that is more than one value is refused: it would be lines of dconf's file.
    printf '["dconf:/test/group2/"]\nkey2 = { "$dictionary" = ["$gvariant", "5\\n[evil]\\nx=1"] }\n' >"$folder/evil.toml"
    if d apply "$folder/evil.toml" 2>/dev/null >&2; then exit 7; fi
    is "$(dconf dump /evil/)" '' 'a text of several lines'
    # A blank inside of a key is one of its characters; the sign of zero is one of a value.
    printf '["dconf:/test/blank/"]\n"key with space" = 1\n' >"$folder/blank.toml"
    d apply "$folder/blank.toml" >/dev/null
    is "$(dconf read '/test/blank/key with space')" 1 'a key with a blank'
    dconf write /test/blank/n -0.0
    d --dconf write /test/blank/ n -float 0.0
    is "$(dconf read /test/blank/n)" 0.0 'zero'
    d --dconf undo >/dev/null
    is "$(dconf read /test/blank/n)" -0.0 'the sign of zero'
    dconf reset -f /test/blank/
    d record dconf --once >/dev/null
    d --dconf delete /test/group2/ key0
    is "$(dconf read /test/group2/key0)" '' delete
    complete=("$vault" __complete 4 vault defaults --dconf write)
    "${complete[@]}" org.gnome.desktop.int | grep -q '^org.gnome.desktop.interface'
    complete[2]=5
    "${complete[@]}" org.gnome.desktop.interface clock-f | grep -q '^clock-format'
    complete[2]=6
    "${complete[@]}" org.gnome.desktop.interface clock-format '' | grep -q '^24h'
    d --dconf describe org.gnome.desktop.interface clock-format | grep -q 'one of "24h", "12h"'
    # The whole store without the desktop's part, and the desktop's alone.
    d write com.own k v
    is "$(d domains)" com.own domains
    d --dconf domains | grep -q 'dconf:/org/gnome/desktop/interface/'
    # A recorder sees what happens while it runs.
    timeout 60 "$vault" defaults record dconf --count 1 >"$folder/recorded" &
    recorder=$!
    while ! grep -q 'change' "$folder/recorded"; do
        gsettings set org.gnome.desktop.interface cursor-size $((20 + RANDOM % 40))
    done
    wait $recorder
    d --dconf dump --output "$folder/desk.toml"
    d --dconf snapshot --restore before >/dev/null
    is "$(gsettings get org.gnome.desktop.session idle-delay)" 'uint32 300' 'snapshot --restore'
    d undo >/dev/null
    is "$(gsettings get org.gnome.desktop.session idle-delay)" 'uint32 900' 'undo of the restore'
    d --dconf apply --dry-run --prune "$folder/desk.toml"
    ;;
two)
    d --dconf apply "$folder/desk.toml" >/dev/null
    HOME=$folder/one XDG_CONFIG_HOME=$folder/one/.config XDG_RUNTIME_DIR=$folder/one/run dconf dump / >"$folder/one.dump"
    dconf dump / >"$folder/two.dump"
    cmp "$folder/one.dump" "$folder/two.dump"
    [ "$(grep -c '^key' "$folder/two.dump")" -gt 290 ]
    # A dump of dconf's own is imported key by key, and as dictionaries elsewhere.
    dconf dump /test/ >"$folder/part"
    d --dconf import --format dconf /copy/ "$folder/part"
    cmp <(dconf dump /copy/) "$folder/part"
    d import --format dconf com.own "$folder/part"
    is "$(d read com.own --key-path :group3:key1)" 5 'import into a domain'
    ;;
synced)
    # What another machine has changed in the copy is set, and not overwritten.
    is "$(gsettings get org.gnome.desktop.interface clock-format)" "'12h'" 'before'
    is "$(d --dconf read org.gnome.desktop.interface clock-format)" 24h 'the copy'
    is "$(gsettings get org.gnome.desktop.interface clock-format)" "'24h'" 'from another machine'
    gsettings set org.gnome.desktop.interface clock-format 12h
    is "$(d --dconf read org.gnome.desktop.interface clock-format)" 12h 'the latest counts'
    ;;
spacea-begin)
    # Nobody has looked at it: to add it is to look. A machine that has nothing yet gets it all.
    export VAULT_KEY_FILE=$HOME/key
    head -c 32 /dev/urandom >"$HOME/key" && chmod 600 "$HOME/key" && mkdir "$folder/store"
    "$vault" -q init --no-recovery
    "$vault" -q sync init "$folder/store"
    dconf write /test/space/num 'uint32 7'
    dconf write /test/space/text "'hé llo'"
    "$vault" -q sync add dconf:/test/space/
    "$vault" -q sync invite >"$folder/code"
    ;;
spaceb-join)
    export VAULT_KEY_FILE=$HOME/key
    head -c 32 /dev/urandom >"$HOME/key" && chmod 600 "$HOME/key"
    "$vault" -q sync join "$folder/store" --stdin <"$folder/code"
    is "$(dconf read /test/space/num)" '' 'not before it is added'
    "$vault" -q sync add dconf:/test/space/
    is "$(dconf read /test/space/num)" 'uint32 7' 'a new desktop'
    is "$(dconf read /test/space/text)" "'hé llo'" 'a new desktop, text'
    dconf write /test/space/num 'uint32 8'
    "$vault" -q sync now
    # A database that is gone has lost what it had: nobody else loses it.
    mv "$HOME/.config/dconf" "$HOME/dconf-away"
    "$vault" -q sync now 2>/dev/null
    mv "$HOME/dconf-away" "$HOME/.config/dconf"
    ;;
spacea-again)
    export VAULT_KEY_FILE=$HOME/key
    "$vault" -q sync now
    is "$(dconf read /test/space/num)" 'uint32 8' 'what was changed there'
    is "$(dconf read /test/space/text)" "'hé llo'" 'nothing is lost'
    dconf reset /test/space/text
    "$vault" -q sync now
    ;;
spaceb-again)
    export VAULT_KEY_FILE=$HOME/key
    # As the timer does.
    "$vault" -q sync now --unattended
    is "$(dconf read /test/space/text)" '' 'what was reset there'
    is "$(dconf read /test/space/num)" 'uint32 8' 'the rest'
    ;;
locked)
    # What the administrator has locked is refused, and the line is undone.
    mkdir -p "$folder/db.d/locks"
    printf '[org/gnome/desktop/interface]\nclock-format="12h"\ncursor-size=30\n' >"$folder/db.d/00"
    echo /org/gnome/desktop/interface/clock-format >"$folder/db.d/locks/clock"
    dconf compile "$folder/site.db" "$folder/db.d"
    printf 'user-db:user\nfile-db:%s\n' "$folder/site.db" >"$folder/profile"
    export DCONF_PROFILE=$folder/profile
    is "$(gsettings get org.gnome.desktop.interface clock-format)" "'12h'" 'the site'
    if d --dconf write org.gnome.desktop.interface clock-format 24h 2>"$folder/error"; then exit 8; fi
    grep -q 'has locked /org/gnome/desktop/interface/clock-format' "$folder/error"
    if grep -q dbus-run-session "$folder/error"; then exit 10; fi
    if d --dconf read org.gnome.desktop.interface clock-format 2>/dev/null; then exit 11; fi
    # A dry run says so, and what is locked to the same value needs no change.
    printf '["dconf:/org/gnome/desktop/interface/"]\nclock-format = "24h"\n' >"$folder/lock.toml"
    if d apply --dry-run "$folder/lock.toml" >/dev/null 2>"$folder/error"; then exit 31; fi
    grep -q 'clock-format is locked in' "$folder/error"
    sed -i s/24h/12h/ "$folder/lock.toml"
    is "$(d apply --dry-run "$folder/lock.toml")" 'Nothing to change.' 'locked to the same value'
    is "$(d apply "$folder/lock.toml")" 'Nothing to change.' 'apply of a locked value'
    is "$(d --dconf read --effective org.gnome.desktop.interface clock-format)" 12h 'undone'
    # What the administrator gives is not the user's own, before and after an undo.
    size=(org.gnome.desktop.interface cursor-size)
    is "$(d --dconf read --effective --show-origin "${size[@]}")" 'site-default	30' 'the site gives'
    d --dconf write "${size[@]}" -int 40
    is "$(d --dconf read --effective "${size[@]}")" 40 'the user'
    d --dconf read --effective --all-layers "${size[@]}" | grep '  site-default	30' >/dev/null
    d --dconf undo >/dev/null
    is "$(gsettings get "${size[@]}")" 30 'undo shows what the site gives'
    is "$(echo user-db:user | DCONF_PROFILE=/dev/stdin dconf dump /)" '' 'nothing of the user'
    # A snapshot of when a key was not locked leaves it as it is.
    own=$(echo user-db:user >"$folder/own"; echo "$folder/own")
    DCONF_PROFILE=$own dconf write /org/gnome/desktop/interface/clock-format "'24h'"
    DCONF_PROFILE=$own dconf write /org/y/mine 1
    DCONF_PROFILE=$own d --dconf snapshot open >/dev/null
    DCONF_PROFILE=$own dconf write /org/gnome/desktop/interface/clock-format "'12h'"
    dconf write /org/y/mine 2
    d --dconf snapshot --restore open
    is "$(dconf read /org/y/mine)" 1 'what is not locked is restored'
    is "$(gsettings get org.gnome.desktop.interface clock-format)" "'12h'" 'locked'
    ;;
empty)
    # An account that has set nothing yet was looked at all the same.
    d --dconf snapshot before >/dev/null
    gsettings set org.gnome.desktop.interface clock-format 12h
    d --dconf history org.gnome.desktop.interface | grep 'dconf.*clock-format' >"$folder/line"
    if grep -q 'as found' "$folder/line"; then exit 30; fi
    d --dconf undo >/dev/null
    is "$(gsettings get org.gnome.desktop.interface clock-format)" "'24h'" 'undo of the first change'
    gsettings set org.gnome.desktop.interface clock-format 12h
    d --dconf snapshot --restore before 2>"$folder/error"
    is "$(cat "$folder/error")" '' 'it was looked at'
    is "$(gsettings get org.gnome.desktop.interface clock-format)" "'24h'" 'snapshot --restore'
    ;;
first)
    # What the desktop has had all along is nothing that this program has changed.
    dconf write /org/a/k 1
    dconf write /org/b/k "'x'"
    d write com.mine theme dark
    d snapshot s >/dev/null
    is "$(d --dconf read /org/a/ k)" 1 'a look'
    d write com.mine theme light
    d snapshot --restore s 2>"$folder/error"
    grep -q 'dconf was not looked at before the snapshot' "$folder/error"
    is "$(d read com.mine theme)$(dconf read /org/a/k)$(dconf read /org/b/k)" "dark1'x'" restore
    d undo >/dev/null
    is "$(d read com.mine theme)" light 'undo of the restore'
    d undo --since 1h >/dev/null
    is "$(dconf read /org/a/k)$(dconf read /org/b/k)" "1'x'" 'undo --since'
    if d --dconf undo 3 2>/dev/null; then exit 2; fi
    look=$(d --dconf history --json | sed -n '1s/.*"txn":\([0-9]*\).*/\1/p')
    if d undo --transaction "$look" --force 2>"$folder/error"; then exit 3; fi
    grep -q 'and no change' "$folder/error"
    is "$(dconf read /org/a/k)$(dconf read /org/b/k)" "1'x'" 'undo --transaction'
    d --dconf history | grep 'dconf (as found)' >/dev/null
    # What comes later is a change.
    dconf write /org/c/new 1
    d --dconf read /org/c/ >/dev/null
    d undo >/dev/null
    is "$(dconf read /org/c/new)" '' 'a later key'
    # Several lines at once: nothing is lost, and nothing is recorded that was not there.
    for j in a b c d; do
        (for i in {1..12}; do d --dconf write /org/x/ $j$i -int $i; done) &
    done
    wait
    is "$(dconf dump /org/x/ | grep -c =)" 48 'all are set'
    is "$(d --dconf history --limit 10000 /org/x/ | grep -c -- '-> (none)' || :)" 0 'none was taken back'
    # A refused undo is no undo: the next one takes the same back.
    for change in 'a -int 1' 'b -int 1' 'a -int 2'; do d --dconf write /org/y/ $change; done
    for again in 1 2; do
        if DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent d undo >"$folder/said" 2>/dev/null; then exit 4; fi
        is "$(<"$folder/said")" '' 'nothing is said to be done'
    done
    d undo >/dev/null
    is "$(dconf read /org/y/a)$(dconf read /org/y/b)" 11 'undo after a refusal'
    # A text with its type has no parts.
    dconf write /org/y/t "{'k': <uint32 5>}"
    printf '["dconf:/org/y/"]\nt = { z = 1 }\n' >"$folder/merge.toml"
    if d --dconf write /org/y/ t -dict-add z 1 2>/dev/null; then exit 5; fi
    if d --dconf write /org/y/ --key-path :t:k -int 9 2>/dev/null; then exit 6; fi
    if d --dconf delete /org/y/ --key-path ':t:$gvariant' 2>/dev/null; then exit 7; fi
    if d apply --merge "$folder/merge.toml" 2>/dev/null; then exit 8; fi
    printf '{"dconf:/org/y/": {"t": {"$dictionary": ["$gvariant", "5", "z", 1]}}}' >"$folder/both.json"
    if d apply "$folder/both.json" 2>/dev/null >&2; then exit 9; fi
    is "$(dconf read /org/y/t)" "{'k': <uint32 5>}" 'as it was'
    # One host's values are nobody's on the desktop; a copy is not protected.
    if d -host OTHER write dconf:/org/y/ h 1 2>/dev/null; then exit 10; fi
    printf '["dconf:/org/y/.@host-id:OTHER"]\nh = 1\n' >"$folder/host.toml"
    if d apply "$folder/host.toml" 2>/dev/null; then exit 11; fi
    is "$(dconf read /org/y/h)" '' 'no host'
    if d protect dconf:/org/y/ 2>"$folder/error"; then exit 12; fi
    grep -q 'in plain text' "$folder/error"
    # A filter names a domain of the desktop with or without its prefix.
    for filter in dconf:/org/y/:a /org/y/:a 'dconf:/org/y/*:a'; do
        if d --dconf dump --filter "$filter" | grep '^a = ' >/dev/null; then exit 13; fi
    done
    d --dconf dump --filter nothing:here 2>&1 >/dev/null | grep 'leaves nothing out' >/dev/null
    # Names that dconf's own command cannot carry are left out, and said.
    dconf write $'/org/odd/n\nl' 1
    dconf write '/org/odd/b=c' 2
    dconf write '/org/odd/;k' 3
    is "$(d --dconf read /org/odd/ ';k' 2>"$folder/error")" 3 'odd names'
    grep -q 'were left out' "$folder/error"
    grep -q 'line break in their names' "$folder/error"
    grep -q 'bracket in their names' "$folder/error"
    d --dconf write /org/odd/ ';k' -int 4 2>/dev/null
    is "$(dconf read '/org/odd/;k')" 4 'a name with a semicolon'
    # The schema of a place that the line names holds.
    if [ -e /usr/share/glib-2.0/schemas/org.gnome.desktop.peripherals.gschema.xml ]; then
        place=org.gnome.desktop.peripherals.tablet:/org/r/
        d --dconf describe $place mapping 2>/dev/null | grep absolute >/dev/null
        if d --dconf write $place mapping nope 2>/dev/null; then exit 14; fi
        d --dconf write $place area --json '[0,0,1,0]' 2>/dev/null
        is "$(gsettings get $place area)" '[0.0, 0.0, 1.0, 0.0]' 'a schema with a place'
    fi
    ;;
elsewhere)
    # What is not there in another environment is not reset.
    dconf write /a/b 1
    is "$(d --dconf read /a/ b)" 1 read
    printf '["dconf:/a/"]\nb = 1\n' >"$folder/elsewhere.toml"
    export XDG_CONFIG_HOME=$folder/nowhere
    for line in "--dconf dump --output $folder/elsewhere.toml" 'record dconf --once' '--dconf read /a/'; do
        if d $line 2>"$folder/error"; then echo "$line is not refused" >&2; exit 7; fi
        grep -q 'Could not read' "$folder/error"
    done
    is "$(tail -n 1 "$folder/elsewhere.toml")" 'b = 1' 'the file'
    [ ! -e "$XDG_CONFIG_HOME" ]
    export XDG_CONFIG_HOME=$folder/$home/.config
    if d --dconf history | grep -q -e '-> (none)'; then exit 8; fi
    ;;
resets)
    # Many keys are reset at once, and no others: 3, 200 and 4,000 of them, whose offsets have 1, 2 and 4 bytes.
    long=a-key-with-a-rather-long-name-of-its-own
    { for part in "few 3" "some 200" "many 4000"; do
        set -- $part
        echo "[test/$1]"
        for ((key = 1; key <= $2; key++)); do echo "$long-$key=$key"; done
        printf '\n[test/%s/inner]\nstays=1\n\n' "$1"
    done; } | dconf load /
    d record dconf --once >/dev/null
    dconf dump / >"$folder/all"
    for part in few some many; do
        d --dconf delete "/test/$part/"
        is "$(dconf dump "/test/$part/")" $'[inner]\nstays=1' "delete of $part"
        d --dconf undo >/dev/null
        cmp "$folder/all" <(dconf dump /)
    done
    # What others set meanwhile stays: only what the copy had goes.
    cat >"$folder/meanwhile" <<'END'
#!/bin/sh
# dconf, with another program that sets a key behind each look at all of them.
case $1 in
dump) /usr/bin/dconf "$@" && /usr/bin/dconf write /test/few/others 7 ;;
*) exec /usr/bin/dconf "$@" ;;
esac
END
    mkdir -p "$folder/fake"
    chmod 755 "$folder/meanwhile"
    mv "$folder/meanwhile" "$folder/fake/dconf"
    PATH=$folder/fake:$PATH d --dconf delete /test/few/
    is "$(dconf read /test/few/others)" 7 "another program's key"
    is "$(dconf dump /test/few/ | grep -c "$long" || :)" 0 'what goes'
    # A database that another profile names is another desktop, and one that is not there says nothing.
    printf 'user-db:work\n' >"$folder/profile"
    if DCONF_PROFILE=$folder/profile dconf write /test/w 1 && DCONF_PROFILE=$folder/profile d --dconf read /test/ w \
        2>"$folder/error"; then exit 20; fi
    grep -q 'is of ' "$folder/error"
    is "$(VAULT_HOME=$folder/work DCONF_PROFILE=$folder/profile d --dconf read /test/ w)" 1 'a profile'
    VAULT_HOME=$folder/work DCONF_PROFILE=$folder/profile timeout 60 "$vault" defaults record dconf --count 1 \
        >"$folder/recorded" &
    recorder=$!
    while ! grep -q 'change' "$folder/recorded"; do DCONF_PROFILE=$folder/profile dconf write /test/w "$RANDOM"; done
    wait $recorder
    VAULT_HOME=$folder/work DCONF_PROFILE=$folder/profile d --dconf write /test/ v -int 1
    VAULT_HOME=$folder/work DCONF_PROFILE=$folder/profile d --dconf write /test/ u -int 1
    VAULT_HOME=$folder/work DCONF_PROFILE=$folder/profile d --dconf delete /test/
    is "$(DCONF_PROFILE=$folder/profile dconf dump /)" '' 'a delete in a profile'
    for name in nothing "$folder/none" ''; do
        if DCONF_PROFILE=$name d --dconf read /test/some/ 2>"$folder/error"; then exit 21; fi
        grep -q 'which DCONF_PROFILE names' "$folder/error"
        DCONF_PROFILE=$name d --dconf history >/dev/null 2>&1
    done
    if d --dconf history /test/some/ | tail -n 1 | grep -q -e '-> (none)'; then exit 22; fi
    # A locked key among many is refused, and nothing is reset.
    mkdir -p "$folder/site/db/site.d/locks"
    printf '/test/some/%s-7\n' "$long" >"$folder/site/db/site.d/locks/locks"
    printf '[test/some]\n%s-7=0\n' "$long" >"$folder/site/db/site.d/values"
    dconf compile "$folder/site/site" "$folder/site/db/site.d"
    printf 'user-db:user\nfile-db:%s\n' "$folder/site/site" >"$folder/locking"
    if DCONF_PROFILE=$folder/locking d --dconf delete /test/some/ 2>"$folder/error"; then exit 23; fi
    grep -q 'locked' "$folder/error"
    is "$(dconf dump /test/some/ | grep -c "$long")" 200 'nothing is reset'
    ;;
without)
    # No bus: what cannot be set is undone, and said.
    export DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent
    if d --dconf write /test/ k v 2>"$folder/error"; then exit 4; fi
    grep -q 'dbus-run-session starts one' "$folder/error"
    is "$(d --dconf read /test/ k 2>/dev/null || echo none)" none 'undone'
    # The command that is started gets no secret of the environment.
    mkdir -p "$folder/fake"
    printf '#!/bin/sh\nenv >"%s/env"\n' "$folder" >"$folder/fake/dconf"
    chmod 755 "$folder/fake/dconf"
    VAULT_PASSPHRASE=hidden-words PATH=$folder/fake:$PATH "$vault" defaults --dconf domains >/dev/null
    grep -q "^HOME=$HOME" "$folder/env"
    if grep -q hidden-words "$folder/env"; then exit 9; fi
    PATH=/nonexistent
    if "$vault" defaults --dconf read /test/ 2>"$folder/error"; then exit 5; fi
    case $(<"$folder/error") in *dconf-cli*) ;; *) exit 6 ;; esac
    ;;
esac
