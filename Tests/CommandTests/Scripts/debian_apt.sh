#!/bin/bash
# A repository of apt in a real Debian: signed, upgraded from, tampered with.
#
#   debian_apt.sh      inside scripts/in-debian-root; /mnt has first/ (0.0.9), second/ and key.asc
#
# Prints a line for each step; ends at the first that fails.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
rm -f /var/lib/man-db/auto-update
fail() {
  echo "FAILED: $*"
  exit 1
}
step() { echo "step: $*"; }
rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*
install -D -m 0644 /mnt/key.asc /etc/apt/keyrings/vault-swift.asc
cp -a /mnt/first /tmp/repository
chmod -R a+rX /tmp/repository
cat >/etc/apt/sources.list.d/vault-swift.sources <<'SOURCES'
Types: deb
URIs: file:/tmp/repository
Suites: stable
Components: main
Signed-By: /etc/apt/keyrings/vault-swift.asc
SOURCES

step "apt installs it from there"
apt-get update -qq >/tmp/out 2>&1 || fail "$(cat /tmp/out)"
apt-get install -y vault-swift >/tmp/out 2>&1 || fail "$(cat /tmp/out)"
dpkg-query -W -f '${Version}' vault-swift | grep -qx 0.0.9
grep -q '^deb' /usr/libexec/vault/installed-by
VAULT_HOME=/root/vaults vault init -q --key-file /root/key --no-recovery
printf made-up | VAULT_HOME=/root/vaults VAULT_KEY_FILE=/root/key vault set api-token --stdin -q

step "a newer one is an upgrade"
rm -rf /tmp/repository
cp -a /mnt/second /tmp/repository
chmod -R a+rX /tmp/repository
apt-get update -qq >/tmp/out 2>&1 || fail "$(cat /tmp/out)"
apt-get upgrade -y >/tmp/out 2>&1 || fail "$(cat /tmp/out)"
dpkg-query -W -f '${Version}' vault-swift | grep -qx 0.0.9 && fail "not upgraded: $(cat /tmp/out)"
test "$(VAULT_HOME=/root/vaults VAULT_KEY_FILE=/root/key vault get api-token)" = made-up
apt-get purge -y vault-swift >/dev/null 2>&1

step "a package that was changed is refused"
printf x >>"$(echo /tmp/repository/pool/*.deb)"
apt-get install -y vault-swift >/tmp/out 2>&1 && fail "it was installed"
grep -qiE 'hash sum mismatch|unexpected size' /tmp/out || fail "$(cat /tmp/out)"
step "so is an index that was changed, and one that nobody signed"
sed -i 's/^Description: .*/&./' /tmp/repository/dists/stable/main/binary-*/Packages
rm /tmp/repository/dists/stable/main/binary-*/Packages.gz
rm -rf /var/lib/apt/lists/*
apt-get update >/tmp/out 2>&1 && fail "it was taken"
rm /tmp/repository/dists/stable/InRelease
rm -rf /var/lib/apt/lists/*
apt-get update >/tmp/out 2>&1 && fail "it was taken"
grep -q 'not signed' /tmp/out || fail "$(cat /tmp/out)"
echo "all steps passed"
