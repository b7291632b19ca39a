#!/bin/bash
# What is linked (SPDX, CycloneDX), what it was built from (in-toto), and the signatures. VALIDATOR is a Python that has
# spdx-tools and cyclonedx-python-lib, or empty.
# shellcheck source=/dev/null
. "$(dirname "$0")/package_steps.sh"
minisign -G -W -p pub -s secret >/dev/null
export MINISIGN_KEY=$here/secret MINISIGN_PUBLIC=$here/pub
"$root/scripts/build-packages" "$binary" "$here/dist" vault >said 2>&1 || fail "$(cat said)"
machine=$(uname -m)
spdx=dist/vault-$version-$machine.spdx.json cdx=dist/vault-$version-$machine.cdx.json
statement=dist/vault-$version.provenance.intoto.json

step "every file of the release is in SHA256SUMS, which is signed"
(cd dist && sha256sum --check --strict --quiet SHA256SUMS)
for file in dist/*; do
  name=${file#dist/}
  case $name in
  SHA256SUMS* | *.provenance.* | apt | arch | nix | homebrew | mise.toml | aqua-registry.yaml) ;;
  *) grep -q "  $name\$" dist/SHA256SUMS || fail "$name is not in SHA256SUMS" ;;
  esac
done
minisign -V -q -p pub -m dist/SHA256SUMS
minisign -V -q -p pub -m "$statement"

step "the documents are the same twice"
mkdir twice
TZ=Asia/Tokyo "$root/scripts/bill-of-materials" "$binary" "$here/twice" vault "$version" >/dev/null
for file in "$spdx" "$cdx"; do cmp "$file" "twice/${file#dist/}"; done
grep -lF -e "$here" -e "$root" "$spdx" "$cdx" "$statement" && fail "a place of this machine is named"

step "they name each other's parts, with licenses and hashes"
python3 - "$spdx" "$cdx" "$statement" "$binary" <<'CHECK'
import hashlib, json, re, sys
spdx, cdx, statement = (json.load(open(path)) for path in sys.argv[1:4])
assert (spdx["spdxVersion"], cdx["bomFormat"], cdx["specVersion"]) == ("SPDX-2.3", "CycloneDX", "1.5")
packages = {package["name"]: package for package in spdx["packages"]}
components = {component["name"]: component for component in cdx["components"]}
assert set(packages) == set(components) | {"vault-swift"}, set(packages) ^ set(components)
for name in ("libsodium", "sqlite3", "expat", "mbedtls", "zlib", "libstdc++", "swift", "glibc"):
    assert name in packages, name
for name, component in components.items():
    assert component["version"] not in ("", "unknown") or name.startswith("swift-"), name
    assert component["licenses"][0]["expression"] == packages[name]["licenseDeclared"]
    assert component["scope"] != "required" or name == "glibc" or component.get("hashes") or component.get("components"), name
ids = {package["SPDXID"] for package in spdx["packages"]} | {"SPDXRef-DOCUMENT"}
assert len(ids) == len(packages) + 1 and all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", one) for one in ids)
related = {one for relation in spdx["relationships"] for one in (relation["spdxElementId"], relation["relatedSpdxElement"])}
assert related == ids, related ^ ids
refs = [component["bom-ref"] for component in cdx["components"]]
assert len(set(refs)) == len(refs)
assert {one for dependency in cdx["dependencies"] for one in dependency.get("dependsOn", [])} <= set(refs)
own = hashlib.sha256(open(sys.argv[4], "rb").read()).hexdigest()
assert cdx["metadata"]["component"]["components"][0]["hashes"][0]["content"] == own
assert own in packages["vault-swift"]["comment"]
# in-toto: each file of the release with its hash.
assert statement["_type"] == "https://in-toto.io/Statement/v1"
assert statement["predicateType"] == "https://slsa.dev/provenance/v1"
sums = dict(reversed(line.split()) for line in open("dist/SHA256SUMS"))
assert {one["name"]: one["digest"]["sha256"] for one in statement["subject"]} == sums
for material in statement["predicate"]["buildDefinition"]["resolvedDependencies"]:
    assert re.fullmatch(r"[0-9a-f]{40}", material["digest"]["gitCommit"]), material
CHECK

step "a library whose license nobody has looked at is an error"
mkdir -p fake/release fake/static
cp "$binary" fake/release/vault
cp "$(dirname "$binary")/vault-helper" fake/release/
echo /usr/lib/libnobody.a >fake/static/linked-vault
refuses "the license of /usr/lib/libnobody.a is not in the table" \
  "$root/scripts/bill-of-materials" "$here/fake/release/vault" "$here/twice" vault "$version"

if [[ -n ${VALIDATOR:-} ]]; then
  step "spdx-tools and cyclonedx-python-lib take them"
  "$VALIDATOR" - "$spdx" "$cdx" <<'CHECK'
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
found = [str(message.validation_message) for message in validate_full_spdx_document(parse_file(sys.argv[1]))]
assert not found, found
found = JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[2]).read())
assert found is None, found
CHECK
fi
passed
