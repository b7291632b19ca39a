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
grep -q 'is locked in .*/site/kdeglobals' "$folder/error"
is "$(d --kconfig read kdeglobals:Locked k 2>/dev/null || echo none)" none 'a locked key'
# Of a line that fails in its middle nothing stays.
printf '["kconfig:kdeglobals:General"]\nfirst = "1"\n["kconfig:kdeglobals:Locked"]\nk = "mine"\n' >"$folder/two.toml"
if d apply "$folder/two.toml" 2>"$folder/error"; then exit 4; fi
is "$(kreadconfig5 --file kdeglobals --group General --key first --default gone)" gone 'put back'
is "$(d --kconfig read kdeglobals:General first 2>/dev/null || echo none)" none 'undone'
# A line that names no domain has the latest values, too.
kwriteconfig5 --file kdeglobals --group General --key ColorScheme Latest
d --kconfig history | tail -n 1 | grep -q Latest

# What KConfig expands stays so, on a machine with another home, too.
kwriteconfig5 --file paths --group G --key mine --type path "$HOME/pictures"
printf 'other[$e]=$XDG_DATA_HOME/x\nplain=$HOME/x\n' >>"$XDG_CONFIG_HOME/paths"
d record kconfig --once paths >/dev/null
d --kconfig snapshot paths >/dev/null
is "$(d --kconfig read --json paths:G mine | tr -d ' \n')" '{"$dictionary":["$expand","$HOME/pictures"]}' expand
kwriteconfig5 --file paths --group G --key mine plain
d --kconfig undo >/dev/null
grep -qF 'mine[$e]=$HOME/pictures' "$XDG_CONFIG_HOME/paths"
d --kconfig write paths:G plain '$HOME/y'
grep -qxF 'plain=$HOME/y' "$XDG_CONFIG_HOME/paths"
kwriteconfig5 --file paths --group G --key other gone
if d --kconfig undo 2>"$folder/error"; then exit 5; fi
grep -q 'paths below $HOME alone' "$folder/error"
is "$(kreadconfig5 --file paths --group G --key other)" gone 'what cannot be written'
d --kconfig dump --output "$folder/paths.toml" paths:G
HOME=$folder/two XDG_CONFIG_HOME=$folder/two/.config d --kconfig apply "$folder/paths.toml" >/dev/null
grep -qF 'mine[$e]=$HOME/pictures' "$folder/two/.config/paths"
# Names are those of programs, whatever the file escapes; translations stay as they are.
printf '[General]\nName=Eng\nName[de]=Deu\n' >"$XDG_CONFIG_HOME/arc"
kwriteconfig5 --file arc --group 'We]ird' --key 'a=b' 1
is "$(d --kconfig read 'arc:We]ird' 'a=b')" 1 'escaped names'
d --kconfig write 'arc:We]ird' 'q[de]' 2
is "$(kreadconfig5 --file arc --group 'We]ird' --key 'q[de]')" 2 'an escaped key'
d --kconfig write arc:General Name New
d --kconfig dump --output "$folder/arc.toml" arc:General 'arc:We]ird'
if grep -q Deu "$folder/arc.toml"; then exit 6; fi
HOME=$folder/two XDG_CONFIG_HOME=$folder/two/.config d --kconfig apply "$folder/arc.toml" >/dev/null
is "$(XDG_CONFIG_HOME=$folder/two/.config kreadconfig5 --file arc --group 'We]ird' --key 'a=b')" 1 'apply'
d --kconfig delete 'arc:We]ird' 'a=b'
if grep -q 'x3db' "$XDG_CONFIG_HOME/arc"; then exit 7; fi
grep -qxF 'Name[de]=Deu' "$XDG_CONFIG_HOME/arc"
# What programs see: the site's files, kdeglobals, locks, and what is deleted.
printf '[G]\nsite=one\nboth=site\nkept[$i]=site\ngone=site\n[Locked][$i]\nk=site\n' >"$folder/site/app"
printf '[G]\nwide=sites\nlock[$i]=wide\n' >>"$folder/site/kdeglobals"
printf '[G]\nboth=mine\nkept=mine\ngone[$d]\nlock=mine\n[Locked]\nk=mine\n' >"$XDG_CONFIG_HOME/app"
for pair in site=one both=mine kept=site wide=sites lock=wide; do
    is "$(d --kconfig read --effective app:G "${pair%=*}")" "${pair#*=}" "effective ${pair%=*}"
done
if d --kconfig read --effective app:G gone 2>/dev/null; then exit 6; fi
is "$(d --kconfig read --effective app:Locked k)" site 'a locked group'
is "$(d --kconfig read app:G both)" mine 'the user'
is "$(d --kconfig read --effective --show-origin app:G kept)" "managed:$folder/site/app	site" origin
d --kconfig read --effective --all-layers app:G both | grep -q "  site-default:$folder/site/app	site"
d --kconfig read --effective app:G | grep -q 'wide = sites'
printf '[$i]\n[G]\nsite=all\n' >"$folder/site/app"
is "$(d --kconfig read --effective app:G both 2>/dev/null || echo none)" none 'a locked file'
if d --kconfig write app:G new k 2>"$folder/error"; then exit 7; fi
grep -q "is locked in $folder/site/app" "$folder/error"
# What the user takes back shows what weaker files have again, and is not hidden for good.
printf '[G]\na=site\nb=site\nhidden=site\n' >"$folder/site/back"
printf '[G]\nhidden[$d]\n' >"$XDG_CONFIG_HOME/back"
d --kconfig write back:G a mine
d --kconfig undo >/dev/null
is "$(kreadconfig5 --file back --group G --key a)" site 'undo'
d --kconfig write back:G a mine
d --kconfig delete back:G a
is "$(kreadconfig5 --file back --group G --key a)" site 'delete'
if grep -q 'a\[\$d' "$XDG_CONFIG_HOME/back"; then exit 20; fi
[ ! -e "$XDG_CONFIG_HOME/back.lock" ]
# A mark of the user's own stays one.
is "$(kreadconfig5 --file back --group G --key hidden)" '' 'hidden'
d --kconfig write back:G hidden shown
d --kconfig undo >/dev/null
is "$(kreadconfig5 --file back --group G --key hidden)" '' 'hidden again'
d --kconfig delete back:G hidden
is "$(kreadconfig5 --file back --group G --key hidden)" site 'no longer hidden'
# The first look is no change.
printf '[G]\na=1\nb=2\n' >"$XDG_CONFIG_HOME/firstrc"
cp "$XDG_CONFIG_HOME/firstrc" "$folder/firstrc"
d write com.mine k 1
d snapshot early >/dev/null
d record kconfig --once firstrc >/dev/null
d undo >/dev/null
cmp "$folder/firstrc" "$XDG_CONFIG_HOME/firstrc"
d snapshot --restore early 2>"$folder/error"
grep -q 'kconfig:firstrc was not looked at' "$folder/error"
cmp "$folder/firstrc" "$XDG_CONFIG_HOME/firstrc"
# Bytes that are no UTF-8 are not written as others; lists keep their escapes; numbers of 32 bits.
printf '[G]\nlat=caf\xe9\nlist=a\\,b,c\n;semi=1\n[g\\x5d\\x5bx]\nk=1\n[n\\nl]\nk=1\n' >"$XDG_CONFIG_HOME/bytes"
d record kconfig --once bytes >/dev/null
is "$(d --kconfig read bytes:G list)" 'a\,b,c' list
is "$(d --kconfig read bytes:G ';semi')" 1 semicolon
is "$(d --kconfig read $'bytes:n\nl' k)" 1 'a group with a line break'
kwriteconfig5 --file bytes --group G --key list new
d --kconfig undo >/dev/null
is "$(kreadconfig5 --file bytes --group G --key list)" 'a\,b,c' 'a list again'
kwriteconfig5 --file bytes --group G --key lat new
if d --kconfig undo 2>"$folder/error" >&2; then exit 21; fi
grep -q 'no UTF-8' "$folder/error"
is "$(kreadconfig5 --file bytes --group G --key lat)" new 'bytes'
d --kconfig write bytes:G scale -float 1.5
is "$(kreadconfig5 --file bytes --group G --key scale)" 1.5 float
for key in '' '#k'; do
    if d --kconfig write bytes:G "$key" v 2>"$folder/error"; then exit 22; fi
    grep -q 'cannot read back' "$folder/error"
done
if head -c 200000 /dev/zero | tr '\0' x | d --kconfig write bytes:G big --string-from - 2>"$folder/error"; then exit 23; fi
grep -q '128 KiB' "$folder/error"
mkfifo "$XDG_CONFIG_HOME/fiforc"
if timeout 20 "$vault" defaults --kconfig read fiforc:G 2>"$folder/error"; then exit 24; fi
grep -q 'not a file' "$folder/error"
rm "$XDG_CONFIG_HOME/fiforc"
printf '[G]\nboth[$i][$e]=site\n' >"$folder/site/flags"
printf '[G]\nboth=mine\n' >"$XDG_CONFIG_HOME/flags"
d --kconfig read --effective --show-origin flags:G both | tr -d '\n' | grep -F "managed:$folder/site/flags" >/dev/null
is "$(d --kconfig read --effective flags:G both | tr -d ' \n')" '{"$expand"=site;}' 'two flags'
if d --kconfig write flags:G both v 2>/dev/null; then exit 25; fi
# Where no store can be made, what is read is what the desktop has.
is "$(XDG_DATA_HOME=/proc/none d --kconfig read bytes:G scale 2>"$folder/error")" 1.5 'no store'
grep -q 'not up to date' "$folder/error"
if XDG_DATA_HOME=/proc/none d --kconfig write bytes:G scale 2 2>/dev/null; then exit 26; fi
is "$(kreadconfig5 --file bytes --group G --key scale)" 1.5 'no store, no change'
# A line that is interrupted between two keys puts back what it has set.
mkdir -p "$folder/fake"
cat >"$folder/fake/kwriteconfig6" <<END
#!/bin/sh
echo >>"$folder/count"
[ "\$(wc -l <"$folder/count")" -ne 2 ] || kill -TERM \$PPID
exec kwriteconfig5 "\$@"
END
chmod 755 "$folder/fake/kwriteconfig6"
printf '[G]\n' >"$XDG_CONFIG_HOME/intrc"
for key in a b c d; do echo "$key=old"; done >>"$XDG_CONFIG_HOME/intrc"
d record kconfig --once intrc >/dev/null
cp "$XDG_CONFIG_HOME/intrc" "$folder/intrc"
printf '["kconfig:intrc:G"]\na = "1"\nb = "2"\nc = "3"\nd = "4"\n' >"$folder/four.toml"
status=0
PATH=$folder/fake:$PATH env --default-signal=TERM "$vault" defaults apply "$folder/four.toml" \
    >"$folder/out" 2>"$folder/error" || status=$?
is "$status" 143 'the signal'
grep -q 'The line was interrupted' "$folder/error"
grep -q 'Defaults have not been changed' "$folder/error"
is "$(cat "$folder/out")" '' 'nothing is said to be done'
cmp "$folder/intrc" "$XDG_CONFIG_HOME/intrc"
is "$(d --kconfig read intrc:G a)$(d --kconfig read intrc:G d)" oldold 'interrupted'
# The recorder says what it has nothing of.
if HOME=$folder/three XDG_CONFIG_HOME=$folder/three/.config d record kconfig 2>"$folder/error"; then exit 8; fi
grep -q 'name them' "$folder/error"
d record kconfig --once nothere 2>"$folder/error"
grep -q 'no .*/nothere yet' "$folder/error"
# Without names it watches the files that it knows.
timeout 60 "$vault" defaults record kconfig --count 1 >"$folder/recorded" &
recorder=$!
while ! grep -q 'change' "$folder/recorded"; do kwriteconfig5 --file paths --group G --key n $RANDOM; done
wait $recorder
# A file that is replaced with a moment without it stops no recorder, and is no reset.
printf '[G]\nk=1\n' >"$XDG_CONFIG_HOME/gaprc"
d record kconfig --once gaprc >/dev/null
timeout 120 "$vault" defaults record kconfig --count 1 gaprc >"$folder/recorded" 2>"$folder/error" &
recorder=$!
while ! grep -q 'gaprc: it is gone' "$folder/error"; do
    mv "$XDG_CONFIG_HOME/gaprc" "$XDG_CONFIG_HOME/gaprc.new"
    mv "$XDG_CONFIG_HOME/gaprc.new" "$XDG_CONFIG_HOME/gaprc"
done
while ! grep -q 'change' "$folder/recorded"; do
    kwriteconfig5 --file gaprc --group G --key n $RANDOM
done
wait $recorder
if d --kconfig history gaprc:G | grep -q -e '-> (none)'; then exit 27; fi
is "$(d --kconfig read gaprc:G k)" 1 'the replaced file'
