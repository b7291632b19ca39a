#!/bin/bash
# The image: its layout, and, of a release, the command in it under bubblewrap. RUN is yes where it can be run.
# shellcheck source=/dev/null
. "$(dirname "$0")/package_steps.sh"
archive=$("$root/scripts/build-archive" "$binary" "$here" vault)
mkdir new twice
image=$("$root/scripts/build-image" "$archive" "$here/new" vault "$version")
step "it is the same twice"
TZ=Asia/Tokyo "$root/scripts/build-image" "$archive" "$here/twice" vault "$version" >/dev/null
cmp "$image" twice/*.tar

step "each part is what it is called by"
mkdir layout
tar -C layout -xf "$image"
for blob in layout/blobs/sha256/*; do
  test "$(sha256sum "$blob" | cut -d' ' -f1)" = "$(basename "$blob")" || fail "$blob"
done
python3 - <<'CHECK' >facts
import gzip, hashlib, json
read = lambda digest: open("layout/blobs/sha256/" + digest.removeprefix("sha256:"), "rb").read()
assert json.load(open("layout/oci-layout")) == {"imageLayoutVersion": "1.0.0"}
index = json.load(open("layout/index.json"))
manifest = json.loads(read(index["manifests"][0]["digest"]))
config = json.loads(read(manifest["config"]["digest"]))
for part in [index["manifests"][0], manifest["config"]] + manifest["layers"]:
    assert len(read(part["digest"])) == part["size"], part
layer = gzip.decompress(read(manifest["layers"][0]["digest"]))
assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest()]
assert config["config"]["User"] == "65532:65532"
assert config["config"]["Entrypoint"] == ["/usr/bin/vault"]
open("layer.tar", "wb").write(layer)
CHECK
# Of the command and glibc, and nothing else: no shell, no file that raises rights.
tar -tvf layer.tar | awk '$1 ~ /^-/ { print $6 }' | grep -vE '^(usr/(bin|libexec)/|usr/share/doc/vault/licenses/|etc/(passwd|group)$)' |
  grep -vE '/(ld-linux[^/]*|lib[^/]*\.so[^/]*)$' && fail "more is in it"
tar -tvf layer.tar | grep -E '^-..[sS]|^-.{5}[sS]' && fail "it raises rights"
tar --numeric-owner -tvf layer.tar home/vault | grep -q 'drwx------ 65532/65532' || fail "home: $(tar -tvf layer.tar home/vault)"

if command -v skopeo >/dev/null; then
  step "skopeo reads it"
  skopeo inspect "oci-archive:$image" >said 2>&1 || fail "$(cat said)"
  grep -q '"Architecture"' said
fi

if command -v podman >/dev/null && [[ $(id -u) -eq 0 ]]; then
  step "podman loads it"
  mkdir podman podman/runtime
  printf '[storage]\ndriver = "vfs"\nrunroot = "%s/podman/run"\ngraphroot = "%s/podman/graph"\n' "$here" "$here" \
    >podman/storage.conf
  XDG_RUNTIME_DIR=$here/podman/runtime CONTAINERS_STORAGE_CONF=$here/podman/storage.conf \
    podman load -q -i "$image" >said 2>&1 || fail "$(cat said)"
  grep -qx "Loaded image: localhost/vault:$version" said || fail "$(cat said)"
fi

if [[ ${RUN:-} == yes ]]; then
  step "it runs, without rights, and keeps a secret"
  mkdir system volume
  tar -C system --no-same-owner -xf layer.tar
  chmod 0755 system/home/vault
  in_image() { # as `docker run` would: its root, its variables, its user, no network
    bwrap --unshare-all --die-with-parent --ro-bind system / --proc /proc --dev /dev --tmpfs /tmp --bind volume /home/vault \
      --uid 65532 --gid 65532 --clearenv --setenv PATH /usr/bin --setenv HOME /home/vault --setenv LANG C.UTF-8 \
      --chdir /home/vault /usr/bin/vault "$@"
  }
  test "$(in_image --version)" = "$version"
  in_image init -q --key-file /home/vault/key --no-recovery
  in_image --help | grep -q 'vault set'
  printf made-up | in_image set api-token --stdin -q --key-file /home/vault/key
  test "$(in_image get api-token --key-file /home/vault/key)" = made-up
  test "$(in_image run api-token --key-file /home/vault/key -- vault --version)" = "$version"
  # This needs libm, which the command opens by itself.
  in_image audit --key-file /home/vault/key >said 2>&1 || test $? = 1 || fail "audit: $(cat said)"
  grep -q api-token said || fail "audit: $(cat said)"
  grep -qx image system/usr/libexec/vault/installed-by
fi
passed
