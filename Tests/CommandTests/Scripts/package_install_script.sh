#!/bin/bash
# install.sh against what a mirror, a half download and a mistake can do. OPENSSL is yes where OpenSSL verifies, too.
# shellcheck source=/dev/null
. "$(dirname "$0")/package_steps.sh"
mkdir keys tools
minisign -G -W -p keys/pub -s keys/secret >/dev/null
minisign -G -W -p keys/other.pub -s keys/other >/dev/null
release=$here/release
archive=$("$root/scripts/build-archive" "$binary" "$release" vault)
archive=${archive##*/}
fill() { # PUBLIC_KEY VERSION
  "$root/scripts/fill-template" "$root/Packaging/install.sh.in" "VERSION=$2" NAME=vault "MACHINE=$(uname -m)" \
    "GLIBC=$glibc" "ARCHIVE=$archive" "RELEASES=file://$release" "PUBLIC_KEY=$1"
}
key=$(sed -n 2p keys/pub)
sums() { (cd "$release" && rm -f SHA256SUMS.minisig && sha256sum "$archive" >SHA256SUMS &&
  minisign -S -s "../keys/${1:-secret}" -m SHA256SUMS -t "${2:-vault}" >/dev/null); }
fill "$key" "$version" >install.sh
sums
cp -a release pristine
again() { rm -rf release && cp -a pristine release; }
# No program of the machine's own but these.
for tool in sh uname getconf sort head mktemp rm cp sed awk sha256sum cut mkdir tar find mv grep cat tail base64 od tr env \
  dirname gzip printf openssl minisign; do
  if path=$(command -v "$tool") && [[ $path == /* ]]; then ln -s "$path" "tools/$tool"; fi
done
export HOME=$here/person
mkdir person
run() { PATH=$here/tools sh "$@"; }
nothing() { test ! -e person/.local || fail "something was installed: $(find person/.local)"; }

verifiers=(minisign)
if [[ ${OPENSSL:-} == yes ]]; then verifiers+=(openssl); fi
for verifier in "${verifiers[@]}"; do
  if [[ $verifier == openssl ]]; then rm tools/minisign; fi

  step "$verifier: the release is installed"
  run install.sh >said
  grep -q "installed .*/vault $version, verified by its signature" said || fail "$(cat said)"
  grep -qx "installer file://$release" person/.local/libexec/vault/installed-by
  first_secret "$here/person/.local/bin/vault"
  step "$verifier: and again, over itself; nothing lies about"
  run install.sh >said
  test -z "$(find person -name '.vault-install*')" && test -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'vault-install.*' -user "$(id -u)" -newer install.sh)"
  rm -rf person/.local

  step "$verifier: an archive that was changed"
  printf x >>"release/$archive"
  refuses "is not what was released" run install.sh
  nothing
  step "$verifier: checksums that were changed with it"
  (cd release && sha256sum "$archive" >SHA256SUMS)
  refuses "is not by the key" run install.sh
  nothing
  step "$verifier: signed by somebody else"
  sums other
  refuses "is not by the key" run install.sh
  nothing
  again
  step "$verifier: a comment that was changed"
  sed -i 's/^trusted comment: .*/trusted comment: another/' release/SHA256SUMS.minisig
  refuses "is not by the key" run install.sh
  nothing
  again
  step "$verifier: a signature that is cut, and one of nothing"
  head -c 60 pristine/SHA256SUMS.minisig >release/SHA256SUMS.minisig
  refuses "is not by the key" run install.sh
  : >release/SHA256SUMS.minisig
  refuses "is not by the key" run install.sh
  rm release/SHA256SUMS.minisig
  refuses "cannot be downloaded" run install.sh
  nothing
  again
  step "$verifier: checksums of other files"
  (cd release && sed -i 's/vault-linux/vault-other/' SHA256SUMS &&
    minisign -S -s ../keys/secret -m SHA256SUMS -t other >/dev/null)
  refuses "does not name $archive" run install.sh
  nothing
  again
done

step "an older release with its own signature"
fill "$key" 9.9.9 >newer.sh
refuses "has version $version, and this installer is of 9.9.9" run newer.sh
test ! -e person/.local/bin

step "nothing to verify with"
rm -f tools/minisign tools/openssl
refuses "there is no minisign and no OpenSSL 3" run install.sh
rm -rf person/.local

step "an installer without a key takes a checksum that is given, and nothing else"
fill "" "$version" >keyless.sh
refuses "was built without a key" run keyless.sh
nothing
refuses "is not what was released" run keyless.sh --checksum 0000000000000000000000000000000000000000000000000000000000000000
nothing
run keyless.sh --checksum "$(sha256sum "release/$archive" | cut -d' ' -f1)" >said
grep -q "verified by the checksum that you gave" said
rm -rf person/.local

ln -s "$(command -v minisign)" tools/minisign
step "half a download does nothing"
for bytes in 1000 3000 5000 "$(($(stat -c %s install.sh) - 8))"; do
  head -c "$bytes" install.sh | run >said 2>&1 || :
  nothing
done

step "another program's command stays"
mkdir -p person/.local/bin
printf '#!/bin/sh\necho Vault v1.18.0\n' >person/.local/bin/vault
refuses "is another program" run install.sh
grep -q 1.18 person/.local/bin/vault

step "a folder of one's own, with a space; one that cannot be written"
run install.sh --prefix "$here/a folder" >said
"$here/a folder/bin/vault" --version >/dev/null
refuses "cannot be made" run install.sh --prefix "$here/install.sh/folder"
step "what a package manager installed stays"
echo deb >"$here/a folder/libexec/vault/installed-by"
refuses "was installed by deb" run install.sh --prefix "$here/a folder"

step "addresses that are neither https nor a file"
refuses "releases are taken from https:// and file:///" run install.sh --prefix "$here/b" --from http://nowhere.invalid
refuses "is unknown" run install.sh --force yes
refuses "needs a value" run install.sh --checksum
passed
