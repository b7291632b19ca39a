#!/bin/bash
# A vault that only the keyring opens, in the states of a keyring. Usage, inside a bus of its own:
# keyring.sh VAULT HOME
set -u
vault=$1
export HOME=$2
cd "$HOME" || exit 1
unset DISPLAY WAYLAND_DISPLAY XDG_DATA_HOME XDG_STATE_HOME XDG_RUNTIME_DIR GNOME_KEYRING_CONTROL

expect() { # STATUS WORDS COMMAND…: the status, the words on stderr, within six seconds
  local want=$1 words=$2 start=$EPOCHREALTIME status
  shift 2
  setsid --wait "$@" </dev/null >out 2>err
  status=$?
  local took=$(( (${EPOCHREALTIME/./} - ${start/./}) / 1000 ))
  if [[ $status != "$want" || $(<err) != *"$words"* ]] || (( took > 6000 )); then
    echo "want $want and '$words', got $status in $took ms: $(cat err)" >&2
    exit 1
  fi
}

printf test | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
printf s3cr3t | "$vault" set api-token --stdin || exit 1
"$vault" lock
expect 0 '' "$vault" get api-token
[[ $(cat out) == s3cr3t ]] || { echo "not the secret" >&2; exit 1; }

"$vault" lock
expect 69 'vault: hint: ' env DBUS_SESSION_BUS_ADDRESS=unix:path="$HOME/no-bus" "$vault" get api-token
expect 69 'vault: hint: ' env -u DBUS_SESSION_BUS_ADDRESS "$vault" get api-token

service() {
  dbus-send --session --print-reply --dest=org.freedesktop.DBus / \
    org.freedesktop.DBus.GetConnectionUnixProcessID string:org.freedesktop.secrets |
    awk '/uint32/ { print $2 }'
}
dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets \
  org.freedesktop.Secret.Service.Lock array:objpath:/org/freedesktop/secrets/collection/login >/dev/null
expect 77 'is locked' "$vault" get api-token

kill -STOP "$(service)"
expect 69 'did not answer in time' "$vault" get api-token
