#!/bin/bash
# The wheel in a virtual environment: installed without network, used, upgraded, removed. UV is uv's path, or empty.
# shellcheck source=/dev/null
. "$(dirname "$0")/package_steps.sh"
archive=$("$root/scripts/build-archive" "$binary" "$here" vault)
mkdir new old
wheel=$("$root/scripts/build-wheel" "$archive" new vault "$version" "$glibc")
"$root/scripts/build-wheel" "$archive" old vault 0.0.9 "$glibc" >/dev/null
export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_CONFIG_FILE=/dev/null HOME=$here/home
mkdir home

step "it is the same twice"
mkdir twice
"$root/scripts/build-wheel" "$archive" twice vault "$version" "$glibc" >/dev/null
cmp "$wheel" "twice/${wheel##*/}"

step "pip installs it"
python3 -m venv environment
find environment ! -type d ! -name '*.pyc' | sort >before
environment/bin/pip install -q old/*.whl
environment/bin/vault --version >/dev/null
test -x environment/libexec/vault/vault-helper
grep -qx wheel environment/libexec/vault/installed-by
first_secret "$here/environment/bin/vault"

step "what git calls is the command, by a link, too"
ln -s "$here/environment/bin/git-credential-vault" "$here/git-credential"
export VAULT_HOME=$here/vaults VAULT_KEY_FILE=$here/key
environment/bin/vault init -q --key-file key --no-recovery
printf 'protocol=https\nhost=nowhere.invalid\nusername=me\npassword=made-up\n' | ./git-credential store
printf 'protocol=https\nhost=nowhere.invalid\n\n' | ./git-credential get | grep -qx password=made-up
unset VAULT_HOME VAULT_KEY_FILE

step "pip upgrades it"
environment/bin/pip install -q --upgrade --find-links new vault-swift
environment/bin/pip list | grep -q "vault-swift *$version" || fail "$(environment/bin/pip list)"
environment/bin/vault --version >/dev/null

step "pip removes it, and nothing stays"
environment/bin/pip uninstall -q -y vault-swift
find environment ! -type d ! -name '*.pyc' | sort | diff before - || fail "files stay"

step "a version that Python has not is refused"
refuses "is not a version that a wheel can have" "$root/scripts/build-wheel" "$archive" new vault 0.2.0-rc1 "$glibc"

if [[ -n ${UV:-} ]]; then
  step "uv installs it as a tool"
  export UV_OFFLINE=1 UV_NO_CACHE=1 UV_PYTHON_DOWNLOADS=never
  "$UV" tool install -q --no-index "$wheel"
  grep -qx wheel "$(dirname "$(readlink -f home/.local/bin/vault)")/../libexec/vault/installed-by"
  first_secret "$here/home/.local/bin/vault"
  "$UV" tool uninstall -q vault-swift
  test ! -e home/.local/bin/vault && test ! -e home/.local/share/uv/tools/vault-swift
fi
passed
