#!/bin/sh
# The vault as a keyring that systemd's manager of a user starts, in the container of systemd_container.sh:
#
#   systemd_user.sh VAULT KEY-FILE
#
# HOME has a vault with an item `api-token`. Prints what programs find.
set -eu
vault=$1
key=$2
mkdir -m 700 /run/user
export XDG_RUNTIME_DIR=/run/user
# dbus-daemon would take the home of the user's entry in the system for HOME.
export XDG_DATA_HOME="$HOME/.local/share"
# The manager's own bus is the one that dbus-daemon serves, where its units are installed.
"$vault" connect keyring --key-file "$key" >&2
"$vault" connect keyring socket --key-file "$key" >&2
/usr/lib/systemd/systemd --user --unit=sockets.target --log-target=console </dev/null >&2 &
manager=$!
until [ -S /run/user/vault-bus/bus ] && systemctl --user is-active --quiet sockets.target; do
  kill -0 $manager
  sleep 0.1
done

look() { DBUS_SESSION_BUS_ADDRESS=unix:path=$1 secret-tool lookup service vault username api-token; }
echo "socket: $(look /run/user/vault-bus/bus), $(systemctl --user is-active vault-bus.service)"
systemctl --user stop vault-bus.service
echo "again: $(look /run/user/vault-bus/bus)"
if [ -S /run/user/bus ]; then
  echo "bus: $(look /run/user/bus), $(systemctl --user is-active vault-keyring.service)"
fi
systemctl --user stop vault-bus.socket vault-bus.service
[ -S /run/user/vault-bus/bus ] || echo "gone"
"$vault" disconnect keyring socket >&2
"$vault" disconnect keyring >&2
/bin/kill -s RTMIN+24 $manager
wait $manager || :
