#!/bin/bash
# desktop.sh PHASE VAULT FOLDER: a real dconf in a session of its own, without a display.
set -euo pipefail
phase=$1 vault=$2 folder=$3
home=$phase
[ "$phase" = synced ] && home=one
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
locked)
    # What the administrator has locked is refused, and the line is undone.
    mkdir -p "$folder/db.d/locks"
    printf '[org/gnome/desktop/interface]\nclock-format="12h"\n' >"$folder/db.d/00"
    echo /org/gnome/desktop/interface/clock-format >"$folder/db.d/locks/clock"
    dconf compile "$folder/site.db" "$folder/db.d"
    printf 'user-db:user\nfile-db:%s\n' "$folder/site.db" >"$folder/profile"
    export DCONF_PROFILE=$folder/profile
    is "$(gsettings get org.gnome.desktop.interface clock-format)" "'12h'" 'the site'
    if d --dconf write org.gnome.desktop.interface clock-format 24h 2>"$folder/error"; then exit 8; fi
    grep -q . "$folder/error"
    is "$(d --dconf read org.gnome.desktop.interface clock-format)" 12h 'undone'
    is "$(gsettings get org.gnome.desktop.interface clock-format)" "'12h'" 'locked'
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
