"""Reads a space by Documentation/design/sync-format.md alone, with libsodium.

    read_space.py FOLDER < SEED

FOLDER holds a space as section 8 says; SEED is a machine's seed in hex digits. Writes what the
machine can read as JSON: its streams, who is in, and the properties of each item. Every signature,
chain and seal is checked; a failure ends the script.
"""

import ctypes
import ctypes.util
import hashlib
import json
import os
import plistlib
import struct
import sys

sodium = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
assert sodium.sodium_init() >= 0


def h(message, size=32, key=b""):
    return hashlib.blake2b(message, digest_size=size, key=key).digest()


def kdf(number, seed):
    out = ctypes.create_string_buffer(32)
    assert sodium.crypto_kdf_derive_from_key(
        out, ctypes.c_size_t(32), ctypes.c_uint64(number), b"VSR1seed", seed) == 0
    return out.raw


def signing_key(seed):
    public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(64)
    assert sodium.crypto_sign_seed_keypair(public, secret, kdf(1, seed)) == 0
    return public.raw


def sealing_keys(seed):
    public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(32)
    assert sodium.crypto_box_seed_keypair(public, secret, kdf(2, seed)) == 0
    return public.raw, secret.raw


def is_signed(signature, message, public):
    return sodium.crypto_sign_verify_detached(
        signature, message, ctypes.c_ulonglong(len(message)), public) == 0


def unseal(sealed, key, data):
    nonce, body = sealed[:24], sealed[24:]
    out = ctypes.create_string_buffer(max(1, len(body) - 16))
    size = ctypes.c_ulonglong()
    if sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(
            out, ctypes.byref(size), None, body, ctypes.c_ulonglong(len(body)), data,
            ctypes.c_ulonglong(len(data)), nonce, key) != 0:
        return None
    return out.raw[:size.value]


def open_box(box, keys):
    out = ctypes.create_string_buffer(len(box) - 48)
    if sodium.crypto_box_seal_open(
            out, box, ctypes.c_ulonglong(len(box)), keys[0], keys[1]) != 0:
        return None
    return out.raw


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        assert self.at + count <= len(self.data), "truncated"
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]

    def text(self):
        return self.take(self.number("H")).decode("utf-8")

    def bytes32(self):
        return self.take(self.number("I"))


PROPERTIES = {1: "name", 2: "secret", 3: "attribute", 4: "tag", 5: "note", 6: "expires",
              7: "trashed", 8: "kind"}


def read_item(body):
    item = {"id": body.take(16).hex(), "created": body.number("q"), "modified": body.number("q"),
            "version": body.number("Q"), "changes": {}, "earlier": []}
    for _ in range(body.number("H")):
        key, name, form = PROPERTIES[body.number("B")], body.text(), body.number("B")
        value = {0: lambda: None, 1: lambda: body.bytes32().decode("utf-8"),
                 2: lambda: body.number("q"),
                 3: lambda: body.bytes32().decode("utf-8")}[form]()
        item["changes"][f"{key} {name}".strip()] = value
    for _ in range(body.number("H")):
        body.number("Q"), body.number("H"), body.number("q")
        item["earlier"].append(body.bytes32().decode("utf-8"))
        for _ in range(body.number("H")):
            body.text(), body.bytes32()
    return item


class Space:
    def __init__(self, folder, seed):
        self.folder = folder
        self.id = bytes.fromhex(os.path.basename(folder))
        self.box_keys = sealing_keys(seed)
        self.own = h(b"VSR1/stream" + self.id + signing_key(seed) + self.box_keys[0], 16)
        self.records = {}
        self.public = {}
        self.keys = []
        self.known = {}
        self.claims, self.invites, self.labels = [], {}, {}
        self.items, self.purged, self.preferences = {}, [], {}
        self.snapshots, self.confirms = [], []
        self.successors, self.unseen = {}, 0

    def stored(self, stream):
        """The records of a stream: alone, or in packs."""
        folder, packs = os.path.join(self.folder, "s", stream), os.path.join(self.folder, "p", stream)
        found = {}
        for name in sorted(os.listdir(packs)) if os.path.isdir(packs) else []:
            first, last = (int(part, 16) for part in name.split("-"))
            assert name == f"{first:016x}-{last:016x}", name
            with open(os.path.join(packs, name), "rb") as file:
                reader = Reader(file.read())
            for number in range(first, last + 1):
                found[number] = reader.take(reader.number("I"))
            assert reader.at == len(reader.data), name
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), "rb") as file:
                found[int(name, 16)] = file.read()
            assert name == f"{int(name, 16):016x}", name
        assert sorted(found) == list(range(1, len(found) + 1)), "a record is missing"
        return [found[number] for number in sorted(found)]

    def read(self, epochs):
        self.keys = list(epochs)
        waiting = {s: self.stored(s) for s in sorted(os.listdir(self.folder + "/s"))}
        while any(waiting.values()):
            progress = False
            for stream, records in waiting.items():
                while records and self.take(bytes.fromhex(stream), records[0]):
                    records.pop(0)
                    progress = True
            assert progress, "a record waits for what is not here"
        for name in os.listdir(self.folder + "/h"):
            with open(os.path.join(self.folder, "h", name), "rb") as file:
                head = file.read()
            stream, number = head[:16], struct.unpack("<Q", head[16:24])[0]
            assert stream.hex() == name and len(self.records[stream]) == number
            assert self.records[stream][-1] == head[24:]

    def take(self, stream, record):
        assert record[:4] == b"VSR1" and record[4:20] == self.id and record[20:36] == stream
        number, epoch = struct.unpack("<QI", record[36:48])
        hashes = self.records.setdefault(stream, [])
        assert number == len(hashes) + 1
        assert record[48:80] == (hashes[-1] if hashes else bytes(32)), "chain"
        signed, signature = record[:-64], record[-64:]
        plain = None
        for of, key in self.keys:
            if of == epoch and plain is None:
                message = b"VSR1/record" + stream + struct.pack("<Q", number)
                plain, self.key = unseal(record[80:-64], h(message, key=key), record[:80]), key
        if plain is None:
            return False
        end = len(plain.rstrip(b"\0")) - 1
        assert plain[end] == 0x80, "padding"
        assert len(plain) % 64 == 0 or len(plain) > 1024, "padded as items are"
        body = Reader(plain[:end])
        time = body.number("q")
        for _ in range(body.number("H")):
            other, seen, mark = body.take(16), body.number("Q"), body.take(16)
            if len(self.records.get(other, [])) < seen:
                return False
            assert self.records[other][seen - 1][:16] == mark, "fork"
        for position in range(body.number("I")):
            kind = body.number("B")
            self.operation(stream, number, position, kind, Reader(body.bytes32()), time)
        assert body.at == end
        assert is_signed(signature, b"VSR1/signature" + signed, self.public[stream]), "signature"
        hashes.append(h(record))
        return True

    def operation(self, stream, number, position, kind, body, time):
        if kind in (16, 17, 26):
            assert number == 1 and position == 0
            signing, sealing = body.take(32), body.take(32)
            assert h(b"VSR1/stream" + self.id + signing + sealing, 16) == stream
            self.public[stream] = signing
            if kind == 16:
                assert h(b"VSR1/space" + signing + sealing + body.take(16), 16) == self.id
            elif kind == 26:
                predecessor, signature = body.take(16), body.take(64)
                key = self.public[predecessor]
                assert is_signed(signature, b"VSR1/succeed" + self.id + stream, key)
                self.successors[stream.hex()] = predecessor.hex()
            else:
                invitation, signature = body.take(16), body.take(64)
                invite = self.invites[invitation]
                assert is_signed(signature, b"VSR1/claim" + self.id + stream, invite["key"])
                assert time <= invite["expires"]
            self.labels[stream] = body.text()
        elif kind == 18:
            invitation = body.take(16)
            self.invites[invitation] = {
                "key": body.take(32), "sealing": body.take(32), "role": body.number("B"),
                "uses": body.number("H"), "expires": body.number("q")}
        elif kind in (21, 27):
            epoch, name = body.number("I"), body.take(16)
            for _ in range(body.number("H")):
                body.take(16 if kind == 21 else 8)
                plain = open_box(body.take(100 if kind == 21 else 84), self.box_keys)
                if plain is not None:
                    assert kind == 27 or plain[:16] == self.id
                    assert plain[-36:-32] == struct.pack("<I", epoch)
                    assert h(b"VSR1/epoch", 16, plain[-32:]) == name
                    if (epoch, plain[-32:]) not in self.keys:
                        self.keys.append((epoch, plain[-32:]))
        elif kind == 22:
            self.snapshots.append(self.snapshot(body, self.key, stream, number))
        elif kind == 29:
            for _ in range(body.number("H")):
                other, seen = body.take(16), body.number("Q")
                assert other != stream and seen < len(self.records[other])
                self.unseen += 1
        elif kind == 23:
            self.confirms.append((body.take(16).hex(), body.number("Q")))
        elif kind == 1:
            item = read_item(body)
            known = self.items.setdefault(item["id"], {"changes": {}, "earlier": []})
            known["changes"].update(item["changes"])
            known["earlier"] += [e for e in item["earlier"] if e not in known["earlier"]]
        elif kind == 2:
            self.purged.append(body.take(16).hex())
        elif kind == 3:
            domain, flags = body.text(), body.number("B")
            known = self.preferences.setdefault(domain, {"protected": False, "values": {}})
            known["protected"] |= flags & 1 == 1
            for _ in range(body.number("I")):
                key, modified = body.text(), body.number("q")
                # Of the vectors no change meets another: the last one in the order is the value.
                known["values"].pop(key, None)
                if body.number("B"):
                    value = plistlib.loads(body.bytes32(), fmt=plistlib.FMT_BINARY)
                    known["values"][key] = f"{type(value).__name__} {value}"


    def snapshot(self, body, key, writer, number):
        """Sections 9 and 7: the parts in the store, and the content that they come to."""
        assert body.number("B") == 2, "form"
        frontier = dict((body.take(16), body.number("Q")) for _ in range(body.number("H")))
        assert frontier.get(writer, 0) == number - 1
        label, padded = b"VSR1/snapshot", b""
        for _ in range(body.number("H")):
            name, digest = body.take(32), body.take(32)
            with open(os.path.join(self.folder, "o", name.hex()), "rb") as file:
                sealed = file.read()
            assert h(sealed) == name
            chunk = unseal(bytes(24) + sealed, h(label + digest, key=key), label + self.id)
            assert chunk is not None and h(chunk) == digest, "part"
            padded += chunk
        end = len(padded.rstrip(b"\0")) - 1
        assert padded[end] == 0x80, "padding"
        body = Reader(padded[:end])
        streams = [(body.take(16), body.number("Q"))[0] for _ in range(body.number("H"))]
        assert streams == sorted(streams)
        epochs = [body.take(16) for _ in range(body.number("H"))]
        assert epochs == sorted(epochs)
        assert set(epochs) <= {h(b"VSR1/epoch", 16, k) for _, k in self.keys}

        def ref():
            return streams[body.number("H")], body.number("Q")

        def stamp(before):
            if body.number("B"):
                before.append((ref(), body.number("q")))
                assert before[-1] not in before[-2:-1], "a stamp that is the same"
            assert before

        covered, pasts = {}, {}
        for _ in range(body.number("I")):
            stream, place = ref()
            assert place == covered.get(stream, 0) + 1
            past = dict(pasts.get((stream, place - 1), {}))
            covered[stream] = place
            assert body.take(32) == self.records[stream][place - 1], "hash"
            body.number("q"), epochs[body.number("H")]
            newest = [ref() for _ in range(body.number("H"))]
            assert newest == sorted(newest)
            for other, seen in newest:
                assert other != stream and past.get(other, 0) < seen
                assert not any(pasts[one].get(other, 0) >= seen for one in newest if one[0] != other)
            for one in newest:
                for other, seen in pasts[one].items():
                    past[other] = max(past.get(other, 0), seen)
            past[stream] = place
            pasts[stream, place] = past
            for _ in range(body.number("I")):
                assert 16 <= body.number("B") <= 31
                body.bytes32()
        assert covered == frontier
        domains = {}
        for _ in range(body.number("I")):
            values = domains.setdefault(body.text(), {})
            body.number("B")
            for _ in range(body.number("I")):
                name = body.text()
                for _ in range(body.number("H")):
                    ref(), body.number("q")
                    values.pop(name, None)
                    if body.number("B"):
                        value = plistlib.loads(body.bytes32(), fmt=plistlib.FMT_BINARY)
                        values[name] = f"{type(value).__name__} {value}"
        items, purged, last = {}, [], b""
        for _ in range(body.number("I")):
            item = body.take(16)
            assert item > last, "order"
            last = item
            body.number("q"), body.number("Q")
            stamps = []
            for _ in range(body.number("H")):
                stamp(stamps)
            for _ in range(body.number("H")):
                ref(), body.number("q")
                purged.append(item.hex())
            changes = {}
            for _ in range(body.number("I")):
                kind, name = PROPERTIES[body.number("B")], body.text()
                for _ in range(body.number("H")):
                    stamp(stamps)
                    form = body.number("B")
                    changes[f"{kind} {name}".strip()] = (
                        None if form == 0 else body.number("q") if form == 2
                        else body.bytes32().decode("utf-8"))
            for _ in range(body.number("H")):
                body.number("Q"), body.number("H"), body.number("q"), body.bytes32()
                for _ in range(body.number("H")):
                    body.text(), body.bytes32()
            items[changes["name"]] = changes
        assert body.at == end
        return {"items": items, "purged": purged, "preferences": domains}


def first_epoch(folder, space, seed):
    """The machine that made the space finds the first key in its own state, section 7."""
    with open(os.environ["STATE"], "rb") as file:
        state = file.read()
    assert state[:4] == b"VSS1"
    body = Reader(unseal(state[4:], kdf(3, seed), b"VSS1"))
    assert body.take(16).hex() == space
    body.take(32), body.text(), body.text()
    if body.number("B"):
        body.take(32)
    return [(body.number("I"), body.take(32)) for _ in range(body.number("H"))]


def main():
    folder, seed = sys.argv[1], bytes.fromhex(sys.stdin.read().strip())
    (name,) = [n for n in os.listdir(folder) if len(n) == 32]
    space = Space(os.path.join(folder, name), seed)
    space.read(first_epoch(folder, name, seed))
    json.dump({
        "space": space.id.hex(),
        "streams": {s.hex(): len(r) for s, r in space.records.items()},
        "labels": sorted(space.labels.values()),
        "epochs": sorted(n for n, _ in space.keys),
        "items": {i["changes"]["name"]: i for i in space.items.values()},
        "purged": space.purged,
        "preferences": space.preferences,
        "snapshots": space.snapshots,
        "confirms": len(space.confirms),
        "unseen": space.unseen,
    }, sys.stdout)


main()
