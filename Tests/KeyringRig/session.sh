#!/bin/sh
# A session bus with a keyring in one state, in a home of its own:  session.sh STATE HOME
#
# Prints "ready" when the state is reached, and keeps it until standard input ends or the test's process is
# gone (another child may have inherited the other end of the pipe): so everything goes with the test,
# however that ends. $RIG_SEED names a folder with items.json for the service of the tests' own, and maybe login.keyring
# of gnome-keyring's (password "test"), which the keyring then holds. The environment must be what the daemons are to see: HOME,
# XDG_RUNTIME_DIR and DBUS_SESSION_BUS_ADDRESS below HOME, no DISPLAY.
set -eu
state=$1
home=$2
here=$(dirname "$0")
bus=$home/run/bus

umask 077
mkdir -p "$home/run" "$home/services" "$home/.local/share/keyrings"
if [ -n "${RIG_SEED:-}" ]; then
  cp "$RIG_SEED/items.json" "$home/"
  [ "$state" = no-keyring ] || [ ! -e "$RIG_SEED/login.keyring" ] || cp "$RIG_SEED/login.keyring" "$home/.local/share/keyrings/"
fi

bus_config() {
  cat <<XML
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=$bus</listen>
  <auth>EXTERNAL</auth>
  <servicedir>$home/services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
XML
}

ask_bus() { dbus-send --session --print-reply --dest=org.freedesktop.DBus / "org.freedesktop.DBus.$@"; }

# Waits until the keyring's name has an owner.
wait_for_owner() {
  tries=0
  until ask_bus NameHasOwner string:org.freedesktop.secrets 2>/dev/null | grep -q 'boolean true'; do
    tries=$((tries + 1))
    [ $tries -lt 500 ] || { echo "no owner" >&2; exit 1; }
  done
}

# printf, not echo: a newline would become part of the password.
start_unlocked() {
  printf test | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
  wait_for_owner
}

seed() {
  printf 'right secret' | secret-tool store --label='vault: api-token' \
    service vault username api-token application vault
}

finish() {
  trap - EXIT TERM
  [ -z "${watcher:-}" ] || kill "$watcher" 2>/dev/null || true
  # At once: KeePassXC would ask whether to save.
  [ -z "${owner:-}" ] || kill -KILL "$owner" 2>/dev/null || true
  [ -z "${screen:-}" ] || kill "$screen" 2>/dev/null || true
  [ -z "${busdaemon:-}" ] || kill "$busdaemon" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$home" || { sleep 0.2; rm -rf "$home"; }
}
trap finish EXIT
trap exit TERM

# A killed test run closes nothing in order.
watch_parent() {
  while kill -0 "$PPID" 2>/dev/null; do sleep 1; done
  kill -TERM $$
}
watch_parent </dev/null >/dev/null 2>&1 &
watcher=$!

start_bus() {
  bus_config >"$home/bus.conf"
  # Should this shell be killed itself, its bus goes with it, and with the bus its keyring.
  setpriv --pdeathsig TERM dbus-daemon --config-file="$home/bus.conf" --nofork --nopidfile --print-address=3 \
    3>"$home/address" 2>/dev/null &
  busdaemon=$!
  tries=0
  until [ -s "$home/address" ]; do
    tries=$((tries + 1))
    [ $tries -lt 100000 ] || { echo "no bus" >&2; exit 1; }
  done
}

# A display without a screen or a person, for programs that the bus starts too; its name is in $home/display.
start_display() {
  setpriv --pdeathsig TERM Xvfb -displayfd 3 -nolisten tcp -screen 0 800x600x24 \
    3>"$home/display" >/dev/null 2>&1 &
  screen=$!
  tries=0
  until [ -s "$home/display" ]; do
    tries=$((tries + 1))
    [ $tries -lt 1000000 ] || { echo "no display" >&2; exit 1; }
  done
  DISPLAY=:$(cat "$home/display")
  # No bus for assistive programs is started beside it.
  NO_AT_BRIDGE=1
  GTK_A11Y=none
  export DISPLAY NO_AT_BRIDGE GTK_A11Y
}

# KeePassXC as the keyring: a database (password "test") whose root group is shown to other programs.
#
# Which group that is stands in the database's own data; keepassxc-cli makes one from XML. Nothing is saved:
# KeePassXC saves in a thread beside the one that answers, and on a loaded machine it crashes now and then.
start_keepassxc() {
  group=00112233-4455-6677-8899-aabbccddeeff
  mkdir -p "$home/.config/keepassxc"
  cat >"$home/.config/keepassxc/keepassxc.ini" <<INI
[General]
ConfigVersion=2
UpdateCheckMessageShown=true
SingleInstance=false
AutoSaveAfterEveryChange=false
[GUI]
CheckForUpdates=false
ShowTrayIcon=false
[FdoSecrets]
Enabled=true
ShowNotification=false
ConfirmDeleteItem=false
ConfirmAccessItem=false
UnlockBeforeSearch=false
[Security]
LockDatabaseIdle=false
LockDatabaseScreenLock=false
INI
  cat >"$home/empty.xml" <<XML
<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<KeePassFile>
  <Meta>
    <Generator>tests</Generator>
    <RecycleBinEnabled>False</RecycleBinEnabled>
    <CustomData><Item><Key>FDO_SECRETS_EXPOSED_GROUP</Key><Value>{$group}</Value></Item></CustomData>
  </Meta>
  <Root><Group><UUID>ABEiM0RVZneImaq7zN3u/w==</UUID><Name>Passwords</Name></Group></Root>
</KeePassFile>
XML
  printf 'test\ntest\n' | keepassxc-cli import -q -p -t 100 "$home/empty.xml" "$home/main.kdbx" >&2
  printf 'test\n' | setpriv --pdeathsig TERM keepassxc --pw-stdin "$home/main.kdbx" \
    >"$home/keepassxc.log" 2>&1 &
  owner=$!
  wait_for_owner
  tries=0
  until dbus-send --session --print-reply --reply-timeout=1000 --dest=org.freedesktop.secrets \
    /org/freedesktop/secrets/aliases/default org.freedesktop.DBus.Properties.Get \
    string:org.freedesktop.Secret.Collection string:Locked 2>/dev/null | grep -q 'boolean false'; do
    tries=$((tries + 1))
    [ $tries -lt 2000 ] || { echo "KeePassXC did not open its database" >&2; exit 1; }
  done
}

# KWallet as the keyring, with a wallet that the login has opened.
start_kwallet() {
  setpriv --pdeathsig TERM /usr/bin/python3 "$here/kwallet.py" >"$home/kwallet.log" 2>&1 &
  owner=$!
  tries=0
  until dbus-send --session --print-reply --reply-timeout=1000 --dest=org.freedesktop.secrets \
    /org/freedesktop/secrets org.freedesktop.Secret.Service.ReadAlias string:default 2>/dev/null |
    grep -q /collection/kdewallet; do
    tries=$((tries + 1))
    [ $tries -lt 2000 ] || { cat "$home/kwallet.log" >&2; exit 1; }
  done
}

lock() {
  dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets \
    org.freedesktop.Secret.Service.Lock \
    array:objpath:/org/freedesktop/secrets/collection/login >/dev/null
}

case $state in
  no-bus | dead-bus) ;;
  no-provider) start_bus ;;
  sleepy)
    # It never takes the name, and ends with this shell.
    printf '[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/usr/bin/tail --pid=%s -f /dev/null\n' "$$" \
      >"$home/services/sleepy.service"
    start_bus
    ;;
  cannot-start)
    printf '[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/false\n' \
      >"$home/services/broken.service"
    start_bus
    ;;
  no-keyring)
    start_bus
    gnome-keyring-daemon --start --components=secrets </dev/null >/dev/null 2>&1
    wait_for_owner
    ;;
  unlocked)
    start_bus
    start_unlocked
    ;;
  no-password)
    # What a desktop with automatic login has: a keyring that is kept as text.
    printf '[keyring]\ndisplay-name=Login\nctime=0\nmtime=0\nlock-on-idle=false\nlock-after=false\n' \
      >"$home/.local/share/keyrings/login.keyring"
    printf login >"$home/.local/share/keyrings/default"
    start_bus
    gnome-keyring-daemon --start --components=secrets </dev/null >/dev/null 2>&1
    wait_for_owner
    ;;
  locked)
    start_bus
    start_unlocked
    seed
    lock
    ;;
  locked-prompter)
    # The program that asks on the display for gnome-keyring: gcr's.
    start_display
    cp /usr/share/dbus-1/services/org.gnome.keyring.SystemPrompter.service "$home/services/"
    start_bus
    start_unlocked
    lock
    ;;
  keepassxc)
    start_display
    start_bus
    start_keepassxc
    ;;
  kwallet)
    start_bus
    start_kwallet
    ;;
  newline-trap)
    start_bus
    # What many recipes do: the newline of echo becomes part of the password.
    echo test | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
    wait_for_owner
    seed
    gnome-keyring-daemon --replace --components=secrets </dev/null >/dev/null 2>&1
    wait_for_owner
    ;;
  cold-locked)
    start_bus
    start_unlocked
    seed
    gnome-keyring-daemon --replace --components=secrets </dev/null >/dev/null 2>&1
    wait_for_owner
    ;;
  die)
    # Started anew by each call, and gone before it has answered.
    printf '[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/usr/bin/python3 %s die\n' "$here/secret_service.py" \
      >"$home/services/dying.service"
    start_bus
    ;;
  *)
    start_bus
    setpriv --pdeathsig TERM /usr/bin/python3 "$here/secret_service.py" "$state" >"$home/service.log" 2>&1 &
    owner=$!
    wait_for_owner
    ;;
esac

echo ready
# Until the test lets go.
read -r _ || true
