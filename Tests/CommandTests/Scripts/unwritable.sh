#!/bin/bash
# unwritable.sh KIND FILES VAULT WRITER FOLDER: a home on a disk that is full, or that is read-only, in mounts
# of its own; FILES are those of SQLite that are beside the store: all, noshm, none, or nostore.
set -euo pipefail
kind=$1 files=$2 vault=$3 writer=$4 folder=$5
mount -t tmpfs -o size=1m,mode=0700 tmpfs "$folder/disk"
export HOME=$folder/disk/home XDG_RUNTIME_DIR=$folder/run LC_ALL=C.UTF-8
unset XDG_CONFIG_HOME XDG_DATA_HOME
mkdir -m 700 -p "$HOME/.config" "$XDG_RUNTIME_DIR"
store=$HOME/.local/share/vault
d() { "$vault" defaults "$@"; }
is() { [ "$1" = "$2" ] || { echo "$kind, $files, $3: '$1' is not '$2'" >&2; exit 1; }; }

printf '[G]\nk=1\n' >"$HOME/.config/krc"
if [ "$files" != nostore ]; then
    d write com.ex a -int 1
    d write com.ex theme -string light
    d snapshot before >/dev/null
    d write com.ex theme -string dark
    d record kconfig --once krc >/dev/null
fi
case $files in
noshm) rm "$store/store.sqlite-shm" ;;
none)
    # What closes last empties the log.
    python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("pragma wal_checkpoint(truncate)")' "$store/store.sqlite"
    rm -f "$store/store.sqlite-shm" "$store/store.sqlite-wal"
    ;;
esac
printf '[G]\nk=2\n' >"$HOME/.config/krc"
if [ "$kind" = full ]; then
    head -c 2M /dev/zero >"$folder/disk/rest" 2>/dev/null || :
else
    mount -o remount,ro "$folder/disk"
fi
cat "$store"/store.sqlite "$store"/store.sqlite-wal >"$folder/old" 2>/dev/null || :

# What the desktop has is shown, also where the copy cannot have it.
is "$(d --kconfig read krc:G k 2>/dev/null)" 2 'read of the desktop'
if [ "$files" = nostore ]; then
    is "$(d dump 2>/dev/null)" '' dump
    is "$("$writer" user com.ex theme | tr '\n' ' ')" 'none problem true own false ' library
    [ "$kind" = read-only ] || exit 0
    # What waits for a change waits for the store, too, and says so once.
    timeout 300 "$vault" defaults watch --count 1 >"$folder/watched" 2>"$folder/error" &
    watch=$!
    while ! grep -q 'none can be made' "$folder/error"; do kill -0 $watch; sleep 0.1; done
    mount -o remount,rw "$folder/disk"
    # Whether the watch has seen the folder yet is not known: it sees what comes then.
    n=0
    while kill -0 $watch 2>/dev/null; do d write com.ex seen -int $((n += 1)); sleep 0.5; done
    wait $watch
    grep -q seen "$folder/watched"
    is "$(grep -c 'none can be made' "$folder/error")" 1 'said once'
    exit
fi
is "$(d read com.ex theme)" dark read
is "$(d domains)" com.ex domains
is "$(d dump | tr '\n' ' ')" '["com.ex"] a = 1 theme = "dark" ' dump
is "$(d export --format json com.ex - | tr -d ' \n')" '{"a":1,"theme":"dark"}' export
is "$(d --kconfig dump 2>/dev/null | tail -n 1)" 'k = "2"' 'dump of the desktop'
is "$(d history com.ex theme | tail -n 1 | cut -f 6-)" '"light" -> "dark"' history
is "$(d --kconfig history 2>/dev/null | tail -n 1 | cut -f 3-)" $'kconfig\tkconfig:krc:G\t"k"\t"1" -> "2"' 'history of the desktop'
is "$(d diff before 2>/dev/null | grep -c com.ex)" 2 diff
is "$(d undo 2 --dry-run 2>/dev/null | tail -n 1)" 'Would take back 2 changes of 2 transactions.' 'undo --dry-run'
# Two threads of it read the store at the same time.
for _ in {1..30}; do
    is "$(timeout 60 "$vault" defaults watch --since 0 --count 1 | cut -f 6)" '(none) -> 1' watch
done
d read --effective --all-layers com.ex theme | grep -q '^\* .*dark'
for line in 'write com.ex theme new' 'undo' 'snapshot other' 'record kconfig --once krc'; do
    if d $line >"$folder/out" 2>"$folder/error"; then echo "$kind: $line has status 0" >&2; exit 1; fi
    grep -q -e 'No space left' -e 'Read-only' "$folder/error" || { cat "$folder/error" >&2; exit 1; }
done
grep -q 'Nothing was recorded' "$folder/error"
# A program reads what is stored, keeps in memory what it sets, and knows that it is not durable; with all
# of SQLite's files on a full disk only once it has written.
problem=problem
[ "$kind $files" != 'full all' ] || problem='no problem'
is "$("$writer" user com.ex theme | tr '\n' ' ')" "dark $problem true own false " library
is "$(d read com.ex theme)" dark 'read again'
[ "$kind" = full ] || exit 0
# Where SQLite could begin to write its log, that may have grown by what was never committed.
[ "$files" = all ] || cmp "$folder/old" <(cat "$store"/store.sqlite "$store"/store.sqlite-wal 2>/dev/null)
# With space again, all goes on, and the recorder has what it could not write.
timeout 60 "$vault" defaults record kconfig --count 1 krc >"$folder/recorded" 2>"$folder/error" &
recorder=$!
while ! grep -q 'nothing is recorded until' "$folder/error"; do sleep 0.1; done
rm "$folder/disk/rest"
wait $recorder
is "$(cat "$folder/recorded")" 'Recorded 1 change.' recorder
grep -q 'can be written again' "$folder/error"
d write com.ex theme new
is "$(d read com.ex theme)" new 'write again'
