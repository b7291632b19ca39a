#!/bin/bash
# The RPM package in a root of its own: installed beside a stand-in of HashiCorp's, upgraded, removed. As root.
# shellcheck source=/dev/null
. "$(dirname "$0")/package_steps.sh"
mkdir old new other twice files
for name in vault lvault; do
  "$root/scripts/build-archive" "$binary" "$here/files" "$name" >/dev/null
done
archive=$here/files/vault-linux-$(uname -m).tar.gz
"$root/scripts/build-rpm" "$archive" "$here/old" vault 0.0.9 >/dev/null
"$root/scripts/build-rpm" "$archive" "$here/new" vault "$version" >/dev/null
"$root/scripts/build-rpm" "$here/files/lvault-linux-$(uname -m).tar.gz" "$here/other" lvault "$version" >/dev/null
package=$(echo new/*.rpm) old=$(echo old/*.rpm) other=$(echo other/*.rpm)

step "it is the same twice"
TZ=Asia/Tokyo "$root/scripts/build-rpm" "$archive" "$here/twice" vault "$version" >/dev/null
cmp "$package" twice/*.rpm

step "it has what the archive has"
tar -tzf "$archive" | grep -E '^(bin|libexec)/' | sed 's,^,/usr/,' | sort >expected
rpm -qpl "$package" | grep -E '^/usr/(bin|libexec)/.*[^/]$' | grep -v '^/usr/libexec/vault$' | sort | diff expected -
for file in /usr/share/man/man1/vault-set.1.gz /usr/share/man/man1/git-credential-vault.1.gz \
  /usr/share/licenses/vault-swift/LICENSE /usr/share/licenses/vault-swift/libsodium.txt \
  /usr/share/doc/vault-swift/Documentation/cli.md /usr/share/bash-completion/completions/vault; do
  rpm -qpl "$package" | grep -xF "$file" >/dev/null || fail "$file is missing"
done
rpm -qp --requires "$package" | grep -q "libc.so.6(GLIBC_" || fail "it asks for no glibc"
rpm -qp --scripts "$package" | grep . && fail "it runs something when it is installed"
rpm -qp --scripts "$other" | grep -q update-alternatives

if command -v rpmlint >/dev/null; then
  step "rpmlint"
  # A debug build has symbols and the compiler's folder.
  more=
  if [[ $binary == */debug/* ]]; then more='"unstripped-binary-or-object", "binary-or-shlib-defines-rpath", '; fi
  sed "s/^Filters = \[/&$more/" "$root/Packaging/rpmlint.toml" >rpmlint.toml
  rpmlint --config rpmlint.toml "$package" "$other" >said 2>&1 || fail "$(cat said)"
  grep -q ' 0 errors, 0 warnings' said || fail "$(cat said)"
fi
if [[ $(id -u) -ne 0 ]]; then
  step "not root: not installed"
  passed
  exit 0
fi

# The root has no glibc that its database knows of.
# shellcheck disable=SC2317
in_root() { rpm --root "$here/system" --dbpath /var/lib/rpm --nodeps --nosignature --noscripts "$@" >"$here/rpm" 2>&1 || { cat "$here/rpm"; return 1; }; }
mkdir system
step "installed, verified, upgraded, downgraded, removed"
in_root -i "$old"
test -x system/usr/bin/vault
in_root -U "$package"
rpm --root "$here/system" --dbpath /var/lib/rpm -q vault-swift | grep -q "vault-swift-$version-1" || fail "not upgraded"
in_root -V vault-swift
system/usr/bin/vault --version >/dev/null
grep -qx rpm system/usr/libexec/vault/installed-by
first_secret "$here/system/usr/bin/vault"
refuses "is already installed" in_root -U "$old"
in_root -U --oldpackage "$old"
in_root -e vault-swift
find system ! -type d ! -path 'system/var/*' | grep . && fail "files stay"

step "beside HashiCorp's only under another name"
mkdir -p theirs/usr/bin
printf '#!/bin/sh\necho Vault v1.18.0\n' >theirs/usr/bin/vault
cat >theirs.spec <<SPEC
Name: vault
Version: 1.18.0
Release: 1
Summary: A stand-in
License: none
BuildArch: noarch
%description
A stand-in.
%install
mkdir -p %{buildroot}/usr/bin
install -m 0755 $here/theirs/usr/bin/vault %{buildroot}/usr/bin/vault
%files
/usr/bin/vault
SPEC
rpmbuild -bb --quiet --define "_topdir $here/theirs" --define "_dbpath $here/theirs/database" theirs.spec >said 2>&1 ||
  fail "$(cat said)"
theirs=$(echo theirs/RPMS/noarch/*.rpm)
in_root -i "$theirs"
# Conflicts are counted among dependencies, so it is the file that both have here.
refuses "conflicts with file from package vault-1.18.0" in_root -i "$package"
rpm -qp --conflicts "$package" | grep -qx vault
in_root -i "$other"
test "$(system/usr/bin/vault)" = "Vault v1.18.0"
first_secret "$here/system/usr/bin/lvault"
passed
