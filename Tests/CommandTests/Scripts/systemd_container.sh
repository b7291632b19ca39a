#!/bin/sh
# A container in which a real systemd can run:
#
#   systemd_container.sh SCRIPT ARGUMENT…
#
# SCRIPT is its first process. It has an empty /run, and a hierarchy of groups of its own, in which it is at the root.
# Needs root, and the right to mount. Exits as SCRIPT does.
set -eu
if [ "$1" = inside ]; then
  shift
  mount --make-rprivate /
  mount -t proc proc /proc
  mount -t tmpfs -o mode=755 tmpfs /run
  mount -t tmpfs tmpfs /sys/fs/cgroup
  mkdir /sys/fs/cgroup/systemd
  mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
  # Where it is, systemd is the system's manager: sd_booted(3).
  mkdir -p /run/systemd/system
  exec sh "$@"
fi

group=/sys/fs/cgroup/systemd/vault-test-$$
mkdir "$group"
trap 'find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || :' EXIT
sh -c 'echo $$ >"$0"/cgroup.procs && exec timeout -s KILL 120 unshare --fork --kill-child --pid --mount --uts \
  --ipc --cgroup sh "$@"' "$group" "$0" inside "$@"
