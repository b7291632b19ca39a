#!/bin/bash
# Which way `make build` links, by the version of Swift and by LEAN: with a compiler that only says what it was asked.
# shellcheck source=/dev/null
. "$(dirname "$0")/package_steps.sh"
cat >swift <<'SWIFT'
#!/bin/sh
case $1 in
--version) echo "Swift version $VERSION (swift-$VERSION-RELEASE)" ;;
build) echo "asked: $*; hashing ${SWIFT_DETERMINISTIC_HASHING:-by chance}" >&2 && exit 3 ;;
*) exec "$REAL" "$@" ;;
esac
SWIFT
chmod +x swift
REAL=$(command -v "${SWIFT:-swift}")
export REAL
asked() { # VERSION LEAN
  VERSION=$1 LEAN=$2 SWIFT=$here/swift "$root/scripts/build-release" "$here/out" >said 2>&1 && fail "it was not asked"
  grep -q '^asked: build -c release --product vault ' said || fail "$(cat said)"
  # Or the helper's build would compile the command's modules a second time.
  grep -q '; hashing 1$' said || fail "$(cat said)"
}
step "a version that the lean link was not made for is linked plainly, and that is said"
for version in 6.2 6.4 7.0 6.3.10; do
  asked "$version" ""
  grep -q "this is $version: linking plainly" said || fail "$(cat said)"
  grep -qE 'symbol-ordering|internalize|sections.ld|ld-path' said && fail "$(cat said)"
done
step "LEAN=no links plainly, and nothing is to be said"
asked 6.3.1 no
grep -qE 'symbol-ordering|internalize|sections.ld|ld-path|linking plainly' said && fail "$(cat said)"
step "another word is refused"
refuses "LEAN must be yes or no, not maybe" env LEAN=maybe VERSION=6.3.1 SWIFT="$here/swift" "$root/scripts/build-release" out
passed
