#!/bin/bash
# The PKGBUILD by makepkg and pacman, in a root of its own. Nothing of the machine's own pacman is used or changed.
# shellcheck source=/dev/null
. "$(dirname "$0")/package_steps.sh"
"$root/scripts/build-packages" "$binary" "$here/dist" vault >said 2>&1 || fail "$(cat said)"
mkdir build
cp dist/arch/PKGBUILD build
step "bash reads it"
bash -n build/PKGBUILD

step "makepkg builds it"
cat >makepkg.conf <<CONF
DLAGENTS=('file::/usr/bin/curl -qgC - -o %o %u')
CARCH=$(uname -m)
CHOST=$(uname -m)-pc-linux-gnu
OPTIONS=(!strip docs libtool staticlibs emptydirs zipman !purge !debug)
INTEGRITY_CHECK=(sha256)
PKGEXT=.pkg.tar.gz
SRCEXT=.src.tar.gz
COMPRESSGZ=(gzip -c -1 -n)
MAN_DIRS=({usr{,/local}{,/share},opt/*}/{man,info})
DOC_DIRS=(usr/{,local/}{,share/}{doc,gtk-doc})
CONF
as_user=()
# makepkg refuses to run as root.
if [[ $(id -u) -eq 0 ]]; then
  as_user=(runuser -u nobody --)
  chown -R nobody build
  chmod a+rX . build
  probe=$here
  while [[ $probe != / ]]; do
    "${as_user[@]}" test -x "$probe" || { echo "skipped: nobody may not enter $probe"; passed; exit 0; }
    probe=$(dirname "$probe")
  done
fi
make_package() {
  (cd build && "${as_user[@]}" env HOME="$here/build" LC_ALL=C.UTF-8 \
    makepkg --config "$here/makepkg.conf" --nodeps --noprogressbar --force) >said 2>&1 || fail "$(cat said)"
}
make_package
package=build/vault-swift-$version-1-$(uname -m).pkg.tar.gz
tar -tzf "$package" >files
for file in usr/bin/vault usr/bin/git-credential-vault usr/libexec/vault/vault-helper usr/share/man/man1/vault-set.1.gz \
  usr/share/licenses/vault-swift/LICENSE usr/share/licenses/vault-swift/libsodium.txt usr/share/zsh/site-functions/_vault; do
  grep -qx "$file" files || fail "$file is missing: $(head -50 files)"
done
tar -xOzf "$package" usr/libexec/vault/installed-by | grep -qx pacman
tar -xOzf "$package" .PKGINFO | grep -qx 'conflict = vault'

step "an archive that was changed is refused"
mv "$package" "$here/first.pkg.tar.gz"
rm -rf build/src build/pkg build/*.tar.gz
printf x >>"dist/vault-linux-$(uname -m).tar.gz"
(cd build && "${as_user[@]}" env HOME="$here/build" makepkg --config "$here/makepkg.conf" --nodeps --force) >said 2>&1 &&
  fail "not refused"
grep -q "did not pass the validity check" said || fail "$(cat said)"

if [[ $(id -u) -eq 0 ]] && command -v pacman >/dev/null; then
  step "pacman installs it, and removes it"
  mkdir -p system/var/lib/pacman
  printf '[options]\nArchitecture = %s\nSigLevel = Never\nLocalFileSigLevel = Never\n' "$(uname -m)" >pacman.conf
  in_root() {
    pacman --config "$here/pacman.conf" --root "$here/system" --dbpath "$here/system/var/lib/pacman" --cachedir "$here/cache" \
      --logfile "$here/pacman.log" --hookdir "$here/hooks" --gpgdir "$here/gpg" --noconfirm --noscriptlet -dd "$@" >said 2>&1
  }
  mkdir cache hooks gpg
  in_root -U first.pkg.tar.gz || fail "$(cat said)"
  system/usr/bin/vault --version >/dev/null
  first_secret "$here/system/usr/bin/vault"
  in_root -U first.pkg.tar.gz || fail "$(cat said)"
  in_root -R vault-swift || fail "$(cat said)"
  find system ! -type d ! -path 'system/var/*' | grep . && fail "files stay"
fi
passed
