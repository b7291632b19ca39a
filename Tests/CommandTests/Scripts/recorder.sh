#!/bin/bash
# recorder.sh all VAULT FOLDER: what stays wrong with the desktop's files is said once by the recorder, and again
# where it was right meanwhile.
set -euo pipefail
vault=$2 folder=$3
export HOME=$folder/one XDG_CONFIG_HOME=$folder/one/.config LC_ALL=C.UTF-8
mkdir -p -m 700 "$HOME" "$XDG_CONFIG_HOME"
d() { "$vault" defaults "$@"; }
cd "$XDG_CONFIG_HOME"

printf '[G]\nk=1\n' >krc
printf '[G]\nk=1\n' >otherrc
d record kconfig --once krc otherrc >/dev/null
timeout 300 "$vault" defaults record kconfig --count 7 krc otherrc >"$folder/out" 2>"$folder/error" &
recorder=$!
until_recorded() { while [ "$(grep -c Recorded "$folder/out" || :)" -lt "$1" ]; do kill -0 $recorder; sleep 0.1; done; }
change() { printf '[G]\nk=%s\n' "$2" >"$1.new" && mv "$1.new" "$1"; }

# Three looks at the other file while one is gone, and the looks that wait for it.
until change krc start$RANDOM && sleep 0.1 && grep -q Recorded "$folder/out"; do :; done
rm krc
for n in 2 3 4; do
    change otherrc "$n"
    until_recorded "$n"
done
[ "$(grep -c 'it is gone' "$folder/error")" = 1 ] || { cat "$folder/error" >&2; exit 1; }
# There again, and gone again: another time.
change krc back
until_recorded 5
rm krc
for n in 6 7; do
    change otherrc "$n"
    until_recorded "$n"
done
wait $recorder
[ "$(grep -c 'it is gone' "$folder/error")" = 2 ] || { cat "$folder/error" >&2; exit 1; }
