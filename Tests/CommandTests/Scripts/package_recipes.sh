#!/bin/bash
# The recipes for Nix, Homebrew, mise and aqua, by what of these tools is there. STEPS says which: nix, ruby, yaml.
# shellcheck source=/dev/null
. "$(dirname "$0")/package_steps.sh"
RELEASES=https://vault.invalid/releases/v$version
export RELEASES
"$root/scripts/build-packages" "$binary" "$here/dist" vault >said 2>&1 || fail "$(cat said)"
archive=vault-linux-$(uname -m).tar.gz
sum=$(sha256sum "dist/$archive" | cut -d' ' -f1)
mkdir unpacked
tar -C unpacked -xzf "dist/$archive"

step "no place of this machine is in a recipe"
grep -rlF "$here" dist/*.sh dist/*.toml dist/*.yaml dist/arch dist/nix dist/homebrew && fail "$here is named"
test "$(head -n1 unpacked/libexec/vault/installed-by)" = "archive $RELEASES"

step "an address that is code is refused"
for address in 'https://x.invalid/$(id)' "https://x.invalid/'a" 'http://x.invalid/a' 'https://x.invalid/a b' '"'; do
  RELEASES=$address refuses "RELEASES must be" "$root/scripts/build-packages" "$binary" "$here/refused" vault
done
test ! -e refused

if [[ " $STEPS " == *" nix "* ]]; then
  step "Nix reads the flake, and evaluates the package"
  # Nothing of the machine's own Nix is asked or changed.
  export NIX_STATE_DIR=$here/nix/state NIX_STORE_DIR=$here/nix/store NIX_LOG_DIR=$here/nix/log NIX_CONF_DIR=$here/nix \
    NIX_LOCALSTATE_DIR=$here/nix NIX_REMOTE=$here/nix HOME=$here
  nix-instantiate --parse dist/nix/flake.nix >/dev/null
  nix-instantiate --eval --strict --json --store "$here/nix" --expr "import $here/dist/nix/package.nix {
    lib = { licenses.asl20 = \"Apache-2.0\"; sourceTypes.binaryNativeCode = 1; };
    stdenv.mkDerivation = value: value;
    fetchurl = value: value;
    autoPatchelfHook = \"autoPatchelfHook\"; }" >derivation.json
  python3 - "$sum" "$RELEASES/$archive" <<'CHECK' >phase
import json, sys
value = json.load(open("derivation.json"))
assert value["src"] == {"sha256": sys.argv[1], "url": sys.argv[2]}, value["src"]
print("runHook() { :; }\n" + value["installPhase"])
CHECK
  (cd unpacked && out=$here/nix/out bash -euo pipefail ../phase)
  test -x nix/out/bin/vault && test -x nix/out/libexec/vault/vault-helper
  grep -qx "nix $RELEASES" nix/out/libexec/vault/installed-by
fi

if [[ " $STEPS " == *" ruby "* ]]; then
  step "ruby reads the formula, and its install writes what it should"
  ruby -c dist/homebrew/vault-swift.rb >/dev/null
  cp -a unpacked built
  mkdir cellar
  # The words of Homebrew that the formula says, with their own meaning: install moves files into a folder.
  cat >formula.rb <<'RUBY'
require "fileutils"
require "pathname"
class Pathname
  def install(*files)
    FileUtils.mkdir_p(self)
    files.flatten.each { |file| FileUtils.mv(file.to_s, self) }
  end
end
class Formula
  class << self
    attr_reader :said
    def method_missing(word, *values) = (@said ||= {})[word] = values
    def respond_to_missing?(*) = true
    def test = nil
  end
  PREFIX = Pathname.new(ARGV[1])
  {bin: "bin", libexec: "libexec", man1: "share/man/man1", man7: "share/man/man7",
   bash_completion: "etc/bash_completion.d", zsh_completion: "share/zsh/site-functions",
   fish_completion: "share/fish/vendor_completions.d", doc: "share/doc/vault-swift"}.each do |word, folder|
    define_method(word) { PREFIX/folder }
  end
  def buildpath = Pathname.new(Dir.pwd)
end
load ARGV[0]
VaultSwift.new.install
puts VaultSwift.said[:url], VaultSwift.said[:sha256]
RUBY
  (cd built && ruby ../formula.rb "$here/dist/homebrew/vault-swift.rb" "$here/cellar") >said
  printf '%s\n' "$RELEASES/$archive" "$sum" | diff - said
  cellar/bin/vault --version >/dev/null
  grep -qx "homebrew $RELEASES" cellar/libexec/vault/installed-by
  test -x cellar/libexec/vault/vault-helper && test -L cellar/bin/git-credential-vault
fi

step "mise and aqua: the files are read, and name the archive by its checksum"
python3 - "$sum" "$RELEASES/$archive" "$STEPS" <<'CHECK'
import sys
sum, address, steps = sys.argv[1:]
if "toml" in steps:
    import tomllib
    tool = tomllib.load(open("dist/mise.toml", "rb"))["tools"]["http:vault-swift"]
    assert list(tool["platforms"].values()) == [{"url": address, "checksum": "sha256:" + sum}], tool
if "yaml" in steps:
    import platform, re, yaml
    package = yaml.safe_load(open("dist/aqua-registry.yaml"))["packages"][0]
    arch = next(package["replacements"][env.split("/")[1]] for env in package["supported_envs"])
    assert package["url"].replace("{{.Arch}}", arch) == address, package
    line = next(line for line in open("dist/SHA256SUMS") if line.endswith(address.rsplit("/", 1)[1] + "\n")).strip()
    pattern = package["checksum"]["pattern"]
    assert re.search(pattern["checksum"], line)[1] == sum and re.search(pattern["file"], line)[1] == address.rsplit("/", 1)[1]
CHECK
passed
