#!/bin/bash
# kconfig_space.sh all VAULT FOLDER: KConfig's files on two machines of a space, by KDE's own programs.
set -euo pipefail
vault=$2 folder=$3
export XDG_CONFIG_DIRS=$folder/site QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8
on() { # MACHINE COMMAND…: in the home of a machine
    local home=$folder/$1
    shift
    env HOME="$home" XDG_CONFIG_HOME="$home/.config" XDG_RUNTIME_DIR="$home/run" VAULT_KEY_FILE="$home/key" "$@"
}
v() { local machine=$1; shift; on "$machine" "$vault" -q "$@"; }
set_key() { on "$1" kwriteconfig5 --file kdeglobals --group General --key "$2" "$3"; }
has() { # MACHINE KEY VALUE
    local found
    found=$(on "$1" kreadconfig5 --file kdeglobals --group General --key "$2" --default none)
    [ "$found" = "$3" ] || { echo "$1, $2: '$found' is not '$3'" >&2; exit 1; }
}
for machine in a b; do
    mkdir -p -m 700 "$folder/$machine/.config" "$folder/$machine/run"
    head -c 32 /dev/urandom >"$folder/$machine/key" && chmod 600 "$folder/$machine/key"
done
mkdir "$folder/store"
v a init --no-recovery
v a sync init "$folder/store"
set_key a ColorScheme BreezeDark
set_key a font 'Noto Sans,10,-1,5'
set_key a path "$folder/a/x"
v a sync add kconfig:kdeglobals:General
v b sync join "$folder/store" --stdin <<<"$(v a sync invite)"
# Another group of the file, and a key of its own, are nobody else's.
on b kwriteconfig5 --file kdeglobals --group Own --key k mine
set_key b local here
has b ColorScheme none
v b sync add kconfig:kdeglobals:General
has b ColorScheme BreezeDark
has b font 'Noto Sans,10,-1,5'
has b local here
v a sync now
has a local here
# What each changes comes to the other; what is deleted goes.
set_key b ColorScheme BreezeLight
on b kwriteconfig5 --file kdeglobals --group General --key font --delete
set_key a fontSize 12
v b sync now --unattended
v a sync now --unattended
v b sync now --unattended
for machine in a b; do
    has $machine ColorScheme BreezeLight
    has $machine font none
    has $machine fontSize 12
done
[ "$(on b kreadconfig5 --file kdeglobals --group Own --key k)" = mine ]
[ "$(on a kreadconfig5 --file kdeglobals --group Own --key k --default none)" = none ]
# A file that is gone has lost what it had: nobody else loses it.
mv "$folder/b/.config/kdeglobals" "$folder/b/away"
v b sync now 2>/dev/null
v a sync now
has a ColorScheme BreezeLight
mv "$folder/b/away" "$folder/b/.config/kdeglobals"
v b sync now
has b fontSize 12
