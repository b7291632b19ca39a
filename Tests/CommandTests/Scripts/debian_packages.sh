#!/bin/bash
# The package vault-swift in a real Debian: installed, upgraded from our old name, removed, beside a stand-in of
# HashiCorp's vault 1.18 in a repository that apt knows.
#
#   debian_packages.sh              inside scripts/in-debian-root; /mnt has vault-swift.deb and lvault.deb
#
# Prints a line for each step; ends at the first that fails.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
# The index of all manual pages, which each installation would make anew, is not asked for anything here.
rm -f /var/lib/man-db/auto-update

fail() {
  echo "FAILED: $*"
  exit 1
}
step() { echo "step: $*"; }
owner() { dpkg -S /usr/bin/vault 2>/dev/null | cut -d: -f1; }
status() { dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || echo absent; }

# A stand-in for theirs: the same name and the same file, a higher version, another origin.
theirs=/tmp/theirs
mkdir -p /tmp/repository "$theirs/DEBIAN" "$theirs/usr/bin"
printf '#!/bin/sh\necho Vault v1.18.0\n' >"$theirs/usr/bin/vault"
chmod 755 "$theirs/usr/bin/vault"
printf '%s\n' 'Package: vault' 'Version: 1.18.0-1' "Architecture: $(dpkg --print-architecture)" \
  'Maintainer: somebody else <else@localhost.invalid>' 'Description: a stand-in' >"$theirs/DEBIAN/control"
dpkg-deb --build "$theirs" /tmp/repository/vault_1.18.0-1.deb >/dev/null
(
  cd /tmp/repository
  dpkg-deb --field vault_1.18.0-1.deb
  printf 'Filename: ./vault_1.18.0-1.deb\nSize: %s\nSHA256: %s\n' "$(stat -c %s vault_1.18.0-1.deb)" \
    "$(sha256sum vault_1.18.0-1.deb | cut -d' ' -f1)"
) >/tmp/repository/Packages
rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*
echo 'deb [trusted=yes] file:/tmp/repository ./' >/etc/apt/sources.list.d/theirs.list
apt-get update -qq

# Our own package as it was called before: the same files under the name vault.
old=/tmp/old
dpkg-deb --raw-extract /mnt/vault-swift.deb "$old"
sed -i -e 's/^Package: .*/Package: vault/' -e 's/^Version: .*/Version: 0.1.0/' -e '/^Conflicts:/d' -e '/^Replaces:/d' \
  "$old/DEBIAN/control"
mv "$old/usr/share/doc/vault-swift" "$old/usr/share/doc/vault"
dpkg-deb -Znone --build "$old" /tmp/old.deb >/dev/null

step "apt installs it, and nothing else"
apt-get install -y /mnt/vault-swift.deb >/tmp/out 2>&1 || fail "$(cat /tmp/out)"
grep -q '1 newly installed, 0 to remove' /tmp/out || fail "$(cat /tmp/out)"
vault --version >/dev/null
test "$(owner)" = vault-swift
test -s /usr/share/doc/vault-swift/copyright

step "a vault of root is used"
VAULT_HOME=/root/vaults vault init -q --key-file /root/key --no-recovery
printf made-up | VAULT_HOME=/root/vaults VAULT_KEY_FILE=/root/key vault set api-token --stdin -q

step "no upgrade puts theirs in its place"
apt-get upgrade -y >/dev/null 2>&1
apt-get dist-upgrade -y >/dev/null 2>&1
test "$(owner)" = vault-swift && test "$(status vault)" != installed || fail "theirs is there: $(status vault)"

step "who asks for theirs is told that ours goes, and is asked"
apt-get install vault </dev/null >/tmp/out 2>&1 && fail "not asked"
grep -A1 'will be REMOVED' /tmp/out | grep -q vault-swift || fail "$(cat /tmp/out)"
test "$(owner)" = vault-swift

step "installed again over itself, it stays as it is"
apt-get install -y --reinstall /mnt/vault-swift.deb >/dev/null 2>&1
test "$(VAULT_HOME=/root/vaults VAULT_KEY_FILE=/root/key vault get api-token)" = made-up

step "removed, it leaves nothing but the vaults"
apt-get purge -y vault-swift >/dev/null 2>&1
test ! -e /usr/bin/vault && test ! -e /usr/share/doc/vault-swift && test ! -e /usr/share/man/man7/vault-reference.7.gz
test -s /root/vaults/secrets.vault

step "dpkg replaces our own package of the old name"
dpkg -i /tmp/old.deb >/dev/null 2>&1
test "$(owner)" = vault
dpkg -i /mnt/vault-swift.deb >/tmp/out 2>&1 || fail "$(cat /tmp/out)"
test "$(owner)" = vault-swift && test "$(status vault)" != installed || fail "the old one stays: $(status vault)"
test "$(VAULT_HOME=/root/vaults VAULT_KEY_FILE=/root/key vault get api-token)" = made-up
apt-get purge -y vault-swift vault >/dev/null 2>&1

step "apt replaces our own package of the old name"
dpkg -i /tmp/old.deb >/dev/null 2>&1
apt-get install -y /mnt/vault-swift.deb >/tmp/out 2>&1 || fail "$(cat /tmp/out)"
test "$(owner)" = vault-swift && test "$(status vault)" != installed
apt-get purge -y vault-swift >/dev/null 2>&1

step "where theirs is installed, ours does not take its place in silence"
apt-get install -y vault >/dev/null 2>&1
dpkg -i /mnt/vault-swift.deb >/tmp/out 2>&1 && fail "dpkg replaced theirs"
grep -q 'conflict' /tmp/out || fail "$(cat /tmp/out)"
apt-get install /mnt/vault-swift.deb </dev/null >/tmp/out 2>&1 && fail "not asked"
test "$(vault)" = "Vault v1.18.0"
apt-get purge -y vault-swift >/dev/null 2>&1 || :

step "under another name, both are installed"
apt-get install -y /mnt/lvault.deb >/tmp/out 2>&1 || fail "$(cat /tmp/out)"
test "$(vault)" = "Vault v1.18.0" && test "$(status vault)" = installed
test "$(VAULT_HOME=/root/vaults VAULT_KEY_FILE=/root/key lvault get api-token)" = made-up
apt-get dist-upgrade -y >/dev/null 2>&1
lvault --version >/dev/null
apt-get purge -y vault-swift >/dev/null 2>&1
test "$(vault)" = "Vault v1.18.0" || fail "theirs has gone with ours"
apt-get purge -y vault >/dev/null 2>&1

step "under another name and alone, it is vault, too, until theirs comes"
apt-get install -y /mnt/lvault.deb >/tmp/out 2>&1 || fail "$(cat /tmp/out)"
test "$(VAULT_HOME=/root/vaults VAULT_KEY_FILE=/root/key vault get api-token)" = made-up
update-alternatives --query vault | grep -qx 'Value: /usr/bin/lvault' || fail "no alternative"
apt-get install -y vault >/tmp/out 2>&1 || fail "$(cat /tmp/out)"
test "$(vault)" = "Vault v1.18.0" && test ! -L /usr/bin/vault
apt-get install -y --reinstall /mnt/lvault.deb >/tmp/out 2>&1 || fail "$(cat /tmp/out)"
test "$(vault)" = "Vault v1.18.0" || fail "ours took the place of theirs"
apt-get purge -y vault-swift >/tmp/out 2>&1 || fail "$(cat /tmp/out)"
test "$(vault)" = "Vault v1.18.0" || fail "theirs has gone with ours"
apt-get purge -y vault >/dev/null 2>&1
apt-get install -y /mnt/lvault.deb >/dev/null 2>&1
apt-get purge -y vault-swift >/dev/null 2>&1
test ! -e /usr/bin/vault && test ! -L /usr/bin/vault || fail "a link stays"
echo "all steps passed"
