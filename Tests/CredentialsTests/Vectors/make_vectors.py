#!/usr/bin/python3
"""Writes the vectors of the vault file's format into its own folder.

An implementation of Documentation/design/file-format.md that shares nothing with the program's: Python's hashlib and
PyNaCl (python3-nacl). A file is named OUTCOME--WHAT.vault. All open by the key-file 00 01 … 1f.
"""

import hashlib
import os
import struct

from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_encrypt as seal

MAGIC = bytes.fromhex("89564c540d0a1a0a")
KEY_FILE = bytes(range(32))
VK = bytes(range(100, 132))
VAULT = bytes(range(16))
SLOT = bytes(range(16, 32))
ITEM = bytes(range(32, 48))
DEVICE = bytes(range(48, 64))
NONCE = bytes(24)
TIME = 1_700_000_000_000


def b2(data, size=32, key=b""):
    return hashlib.blake2b(data, digest_size=size, key=key).digest()


def kdf(number):
    """libsodium's crypto_kdf: keyed BLAKE2b with the id as salt and the context as personal."""
    return hashlib.blake2b(
        b"", digest_size=32, key=VK, salt=struct.pack("<Q", number) + bytes(8),
        person=b"VLTkeys1" + bytes(8)).digest()


K_INDEX, K_ITEM = kdf(2), kdf(3)


def aead(plain, context, key, nonce=NONCE):
    return nonce + seal(plain, context, nonce, key)


def pad(data, length):
    return data + b"\x80" + bytes(length - len(data) - 1)


def str16(text):
    data = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<H", len(data)) + data


def str32(text):
    return struct.pack("<I", len(text.encode())) + text.encode()


def slot(kind=2, passes=0, memory=0, salt=bytes(16), commitment_of=KEY_FILE, parameters=b"", stretched=None):
    stretched = passes > 0 if stretched is None else stretched
    ad = (MAGIC + struct.pack("<H", 1) + VAULT + SLOT + struct.pack("<HBII", kind, stretched, passes, memory)
          + salt + str16(parameters))
    kek = b2(b"VLT1/kek" + ad, key=commitment_of)
    wrapped = seal(VK, ad, NONCE, kek)
    label = aead(pad(b"", 64), b"VLT1/label" + VAULT + SLOT, K_INDEX)
    body = (SLOT + struct.pack("<BII", stretched, passes, memory) + salt + NONCE + wrapped
            + b2(b"VLT1/commit" + ad, key=kek) + str16(label) + str16(parameters))
    return struct.pack("<HH", kind, len(body) + 4) + body


def sealed_item(secret, item=ITEM, version=1, kind=0):
    contents = struct.pack("<H", 1) + str16("") + struct.pack("<I", len(secret)) + secret
    ad = b"VLT1/item" + VAULT + item + struct.pack("<QH", version, kind)
    return aead(pad(contents, (len(contents) + 64) // 64 * 64), ad, b2(item, key=K_ITEM))


def record(sealed, item=ITEM, name="api-token", offset=0, tags=(), attributes=(), trashed=0, tail=b""):
    body = (item + str16(name) + struct.pack("<HQ", 0, 1) + DEVICE + struct.pack("<qqqq", TIME, TIME, 0, trashed)
            + b"\0" + bytes(16) + str32("")
            + struct.pack("<H", len(tags)) + b"".join(map(str16, tags))
            + struct.pack("<H", len(attributes)) + b"".join(str16(k) + str16(v) for k, v in attributes)
            + struct.pack("<QI", offset, len(sealed)) + b2(sealed, 16) + struct.pack("<H", 0) + tail)
    return struct.pack("<I", len(body)) + body


def index(records, version=1, flags=0, tail=b"", settings=(), ancestors=(), tombstones=(), withdrawals=()):
    keys = b"".join(
        bytes([n]) * 16 + bytes([n]) * 32 + struct.pack("<qB", TIME, 0) + str16(purpose)
        for n, purpose in ((1, "history"), (2, "publishing")))
    return (struct.pack("<HH", version, 2) + keys + struct.pack("<H", 0)
            + DEVICE + struct.pack("<qB", TIME, flags)
            + struct.pack("<H", len(ancestors)) + b"".join(struct.pack("<Q", n) + bytes(16) for n in ancestors)
            + struct.pack("<I", len(tombstones)) + b"".join(t + struct.pack("<q", TIME) + DEVICE for t in tombstones)
            + struct.pack("<I", len(withdrawals)) + b"".join(str16(name) + bytes(16) for name in withdrawals)
            + struct.pack("<H", len(settings)) + b"".join(str16(k) + str16(v) for k, v in settings)
            + struct.pack("<I", len(records)) + b"".join(records) + tail)


def vault(records=None, items=None, slots=None, major=1, minor=0, features=0, plain=None, padding=None,
          index_key=K_INDEX, generation=1, count=None):
    items = sealed_item(b"s3cr3t") if items is None else items
    records = [record(items)] if records is None else records
    slots = [slot()] if slots is None else slots
    plain = index(records) if plain is None else plain
    padded = padding or pad(plain, (len(plain) + 4096) // 4096 * 4096)
    length = 64 + sum(map(len, slots)) + 32
    header = (MAGIC + struct.pack("<HHI", major, minor, length) + VAULT
              + struct.pack("<QQIIQ", generation, features, len(slots) if count is None else count,
                            len(padded) + 40, len(items)) + b"".join(slots))
    header += b2(header)
    return header + aead(padded, b"VLT1/index" + header, index_key) + items


def flipped(data, offset, bit=1):
    return data[:offset] + bytes([data[offset] ^ bit]) + data[offset + 1:]


def two(order):
    first, second = sealed_item(b"one", ITEM), sealed_item(b"two", DEVICE)
    records = [record(first, ITEM, "one"), record(second, DEVICE, "two", len(first))]
    return vault([records[n] for n in order], first + second)


good = vault()
header_length = struct.unpack("<I", good[12:16])[0]
moved = sealed_item(b"s3cr3t", item=DEVICE)
PLAIN = index([record(sealed_item(b"s3cr3t"))])

VECTORS = {
    "opens--one-item": good,
    "opens--unknown-settings-attributes-and-tags": vault(
        plain=index([record(sealed_item(b"s3cr3t"), tags=("a", "b"), attributes=(("service", "x"),))],
                    settings=(("later", "1"),))),
    "opens--every-list-of-the-index": vault(
        generation=9,
        plain=index([record(sealed_item(b"s3cr3t"))], ancestors=(3, 8), tombstones=(bytes(16), DEVICE),
                    withdrawals=("a", "a", "b"), settings=(("a", "1"), ("b", "2")))),
    "opens--a-slot-of-an-unknown-type-beside": vault(slots=[slot(kind=9, parameters=b"what"), slot()]),
    "opens--ignorable-feature": vault(features=1 << 40),
    "reads-only--newer-minor": vault(minor=1),
    "newer-version--major": vault(major=2),
    "newer-version--critical-feature": vault(features=1),
    "wrong-key--commitment": vault(slots=[slot(commitment_of=bytes(32))]),
    "weak-slot--argon2-below-the-floor": vault(slots=[slot(kind=1, passes=1, memory=1024)]),
    "weak-slot--argon2-above-the-cap": vault(slots=[slot(kind=1, passes=3, memory=4 << 20)]),
    "damaged--empty": b"",
    "damaged--magic": flipped(good, 3),
    "damaged--text-mode": good.replace(b"\r\n", b"\n", 1),
    "damaged--header-checksum": flipped(good, 20),
    "damaged--major-flipped": flipped(good, 8, 2),
    "damaged--header-length-zero": good[:12] + bytes(4) + good[16:],
    "damaged--header-length-huge": good[:12] + b"\xff" * 4 + good[16:],
    "damaged--no-slots": vault(slots=[], count=0),
    "damaged--slot-count-lies": vault(count=2),
    "damaged--cut-in-the-header": good[:100],
    "damaged--cut-in-the-index": good[:header_length + 2000],
    "damaged--cut-at-the-end": good[:-1],
    "damaged--a-byte-more": good + b"\0",
    "damaged--index-flipped": flipped(good, header_length + 500),
    "damaged--index-under-another-key": vault(index_key=bytes(32)),
    "damaged--index-of-another-generation": vault(generation=2)[:header_length] + good[header_length:],
    "damaged--index-version": vault(plain=index([], version=2)),
    "damaged--index-flags": vault(plain=index([], flags=2)),
    "damaged--index-padding-not-canonical": vault(padding=PLAIN + b"\x81" + bytes(4095 - len(PLAIN))),
    "damaged--index-padding-too-long": vault(padding=pad(PLAIN, 8192)),
    "damaged--bytes-after-the-items": vault(plain=PLAIN + b"\0"),
    "damaged--a-record-with-a-tail": vault([record(sealed_item(b"s3cr3t"), tail=b"\0")]),
    "damaged--records-out-of-order": two((1, 0)),
    "damaged--tags-out-of-order": vault([record(sealed_item(b"s3cr3t"), tags=("b", "a"))]),
    "damaged--tag-twice": vault([record(sealed_item(b"s3cr3t"), tags=("a", "a"))]),
    "damaged--attribute-twice": vault(
        [record(sealed_item(b"s3cr3t"), attributes=(("service", "x"), ("service", "y")))]),
    "damaged--trashed-with-a-secret": vault([record(sealed_item(b"s3cr3t"), trashed=TIME)]),
    "damaged--ancestors-out-of-order": vault(plain=index([], ancestors=(2, 1))),
    "damaged--ancestors-too-many": vault(plain=index([], ancestors=range(1, 66)), generation=66),
    "damaged--tombstones-out-of-order": vault(plain=index([], tombstones=(DEVICE, bytes(16)))),
    "damaged--tombstone-twice": vault(plain=index([], tombstones=(DEVICE, DEVICE))),
    "damaged--withdrawals-out-of-order": vault(plain=index([], withdrawals=("b", "a"))),
    "damaged--setting-twice": vault(plain=index([], settings=(("a", "1"), ("a", "1")))),
    "damaged--a-cost-without-kdf": vault(slots=[slot(passes=3, memory=65536, stretched=False)]),
    "damaged--a-salt-without-kdf": vault(slots=[slot(salt=bytes(15) + b"\1")]),
    "damaged--parameters-of-a-key-file": vault(slots=[slot(parameters=b"what")]),
    "damaged--name-no-utf8": vault([record(sealed_item(b"s3cr3t"), name=b"\xff\xfe")]),
    "item-damaged--flipped": flipped(good, len(good) - 20),
    "item-damaged--of-another-item": vault([record(moved)], moved),
    "item-damaged--of-another-version": vault([record(sealed_item(b"s3cr3t", version=2))],
                                              sealed_item(b"s3cr3t", version=2)),
    "item-damaged--outside-the-file": vault([record(sealed_item(b"s3cr3t"), offset=1 << 40)]),
    "item-damaged--offset-overflows": vault([record(sealed_item(b"s3cr3t"), offset=(1 << 64) - 1)]),
}

if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    for name, data in VECTORS.items():
        with open(os.path.join(here, name + ".vault"), "wb") as file:
            file.write(data)
