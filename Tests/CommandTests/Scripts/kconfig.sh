#!/bin/bash
# kconfig.sh all VAULT FOLDER: KConfig's files by its own programs.
set -euo pipefail
vault=$2 folder=$3
export XDG_CONFIG_DIRS=$folder/site HOME=$folder/kde XDG_CONFIG_HOME=$folder/kde/.config QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8
mkdir -p -m 700 "$HOME" "$XDG_CONFIG_HOME"
d() { "$vault" defaults "$@"; }
is() { [ "$1" = "$2" ] || { echo "$3: '$1' is not '$2'" >&2; exit 1; }; }

kwriteconfig5 --file kdeglobals --group General --key ColorScheme BreezeLight
kwriteconfig5 --file kdeglobals --group General --group Sub --key odd $'two\nlines  '
is "$(d record kconfig --once kdeglobals)" 'Recorded 2 changes.' record
is "$(d --kconfig read kdeglobals:General ColorScheme)" BreezeLight read
kwriteconfig5 --file kdeglobals --group General --key ColorScheme BreezeDark
d --kconfig history kdeglobals:General | grep -q 'kconfig.*BreezeLight.*BreezeDark'
d undo >/dev/null
is "$(kreadconfig5 --file kdeglobals --group General --key ColorScheme)" BreezeLight undo
d --kconfig write kdeglobals:General fontSize -int 12
is "$(kreadconfig5 --file kdeglobals --group General --key fontSize)" 12 write
d --kconfig write 'kdeglobals:General][Sub' odd -string $' new\ttext'
is "$(kreadconfig5 --file kdeglobals --group General --group Sub --key odd)" $' new\ttext' nested
d --kconfig delete kdeglobals:General fontSize
is "$(kreadconfig5 --file kdeglobals --group General --key fontSize --default gone)" gone delete
if d --kconfig write ../x:G k v 2>/dev/null; then exit 2; fi
# A locked key is refused, and the line is undone.
mkdir -p "$folder/site"
printf '[Locked][$i]\nk=site\n' >"$folder/site/kdeglobals"
is "$(kreadconfig5 --file kdeglobals --group Locked --key k)" site 'the site'
if d --kconfig write kdeglobals:Locked k mine 2>"$folder/error"; then exit 3; fi
grep -q 'may have locked' "$folder/error"
is "$(d --kconfig read kdeglobals:Locked k 2>/dev/null || echo none)" none 'a locked key'
# Of a line that fails in its middle nothing stays.
printf '["kconfig:kdeglobals:General"]\nfirst = "1"\n["kconfig:kdeglobals:Locked"]\nk = "mine"\n' >"$folder/two.toml"
if d apply "$folder/two.toml" 2>"$folder/error"; then exit 4; fi
is "$(kreadconfig5 --file kdeglobals --group General --key first --default gone)" gone 'put back'
is "$(d --kconfig read kdeglobals:General first 2>/dev/null || echo none)" none 'undone'
# A line that names no domain has the latest values, too.
kwriteconfig5 --file kdeglobals --group General --key ColorScheme Latest
d --kconfig history | tail -n 1 | grep -q Latest
