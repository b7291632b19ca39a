#!/bin/sh
# A file of variables as a unit of systemd reads it, in the container of systemd_container.sh:
#
#   systemd_environment.sh FILE OUTPUT
#
# OUTPUT gets the environment of the unit's process, as env -0 writes it.
set -eu
mkdir -m 700 /run/user
export XDG_RUNTIME_DIR=/run/user XDG_CONFIG_HOME="$HOME/.config"
mkdir -p "$XDG_CONFIG_HOME/systemd/user"
cat >"$XDG_CONFIG_HOME/systemd/user/print.service" <<UNIT
[Service]
Type=oneshot
EnvironmentFile=$1
ExecStart=/bin/sh -c 'env -0 >"$2.part" && mv "$2.part" "$2"'
UNIT
/usr/lib/systemd/systemd --user --unit=print.service --log-target=console </dev/null >&2 &
manager=$!
until [ -e "$2" ]; do
  kill -0 $manager
  sleep 0.1
done
/bin/kill -s RTMIN+24 $manager
wait $manager || :
