# Read by the scripts package_*.sh: steps, and the packages of the command under test.
#
#   package_KIND.sh ROOT BINARY     ROOT is the checkout. Everything is made in the working folder.
#
# Prints a line for each step; ends at the first that fails.
set -euo pipefail
root=$1 binary=$2 here=$(pwd -P)
export GZIP_LEVEL=1 DPKG_DEB_COMPRESSOR_TYPE=none RPM_PAYLOAD=w1.gzdio
SOURCE_DATE_EPOCH=$("$root/scripts/source-date")
export SOURCE_DATE_EPOCH
version=$("$binary" --version)
glibc=$("$root/scripts/needs-glibc" "$binary")

fail() {
  echo "FAILED: $*"
  exit 1
}
step() { echo "step: $*"; }
# A line that must fail, and say a text.
refuses() {
  local text=$1
  shift
  if "$@" >"$here/said" 2>&1; then fail "not refused: $*"; fi
  grep -qF -- "$text" "$here/said" || fail "$* says: $(cat "$here/said")"
}
# The first secret by the command of that path, in a home of its own.
first_secret() {
  local home
  home=$(mktemp -d "$here/home.XXXXXX")
  HOME=$home VAULT_HOME=$home/vaults "$1" init -q --key-file "$home/key" --no-recovery
  printf made-up | HOME=$home VAULT_HOME=$home/vaults VAULT_KEY_FILE=$home/key "$1" set api-token --stdin -q
  test "$(HOME=$home VAULT_HOME=$home/vaults VAULT_KEY_FILE=$home/key "$1" get api-token)" = made-up
}
passed() { echo "all steps passed"; }
