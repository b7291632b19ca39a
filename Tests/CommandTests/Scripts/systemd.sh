#!/bin/sh
# A real systemd, which runs the unit of Documentation/servers.md, in the container of systemd_container.sh:
#
#   systemd.sh FOLDER VAULT UNIT
#
# FOLDER, in which others may search, gets `out` and `err`, what the service wrote. UNIT is the unit with the paths of
# that container: /run/app for the service's home, /run/credstore for root's.
set -eu
folder=$1
vault=$2
unit=$3

# Others' folders need not be open to the service's user.
install -m 755 "$vault" /run/vault
install -d -m 700 /run/credstore
install -d -m 700 -o nobody -g nogroup /run/app /run/app/vault
as_service="setpriv --reuid nobody --regid nogroup --clear-groups /run/vault --home /run/app/vault"
$as_service init -q --key-file /run/app/vault.key --no-recovery --no-session
printf made-up | $as_service set api-token --stdin --no-session --key-file /run/app/vault.key
install -m 400 /run/app/vault.key /run/credstore/vault.key
rm /run/app/vault.key
# RTMIN+14 has systemd end at once: systemd(1).
{
  cat "$unit"
  printf '%s\n' "StandardOutput=append:$folder/out" "StandardError=append:$folder/err" \
    "ExecStopPost=+/bin/kill -s RTMIN+14 1" "[Unit]" "DefaultDependencies=no"
} >/run/systemd/system/app.service
printf '%s\n' "[Unit]" "DefaultDependencies=no" "Wants=app.service" >/run/systemd/system/test.target
# A credential is mounted by a helper, and must be seen by the service.
mount --make-rshared /
export container=vault-test
exec /usr/lib/systemd/systemd --system --unit=test.target --log-target=console --show-status=no \
  </dev/null >"$folder/console" 2>&1
