#!/bin/bash
# A repository of apt, built and signed here, used in DEBIAN, the root of a Debian. As root.
# shellcheck source=/dev/null
. "$(dirname "$0")/package_steps.sh"
export GNUPGHOME=$here/gnupg
mkdir -m 0700 gnupg
trap 'gpgconf --kill all' EXIT
gpg --batch --quiet --passphrase '' --quick-generate-key 'Releases <releases@localhost.invalid>' ed25519 sign never 2>/dev/null
mkdir old first second
package=$("$root/scripts/build-deb" "$binary" "$here/second" vault)
dpkg-deb --raw-extract "$package" old
sed -i 's/^Version: .*/Version: 0.0.9/' old/DEBIAN/control
dpkg-deb -Znone --build old "first/vault-swift_0.0.9_$(dpkg --print-architecture).deb" >/dev/null
for folder in first second; do
  GPG_KEY=releases@localhost.invalid "$root/scripts/build-apt" "$here/$folder" >/dev/null
done
step "the index is the same twice"
cp -a second third
rm -rf third/apt
"$root/scripts/build-apt" "$here/third" >/dev/null 2>said
grep -q "not signed" said
for file in Release main/binary-*/Packages.gz; do cmp second/apt/dists/stable/$file third/apt/dists/stable/$file; done
mkdir mount
cp -a first/apt mount/first
cp -a second/apt mount/second
cp second/apt/vault-swift.asc mount/key.asc
cp "$root/Tests/CommandTests/Scripts/debian_apt.sh" mount
"$root/scripts/in-debian-root" "$DEBIAN" "$here/mount" bash /mnt/debian_apt.sh
