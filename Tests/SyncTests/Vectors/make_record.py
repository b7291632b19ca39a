"""Makes record.txt by Documentation/design/sync-format.md alone: python3 make_record.py > record.txt"""

import plistlib
import struct

import nacl.bindings as sodium
from hashlib import blake2b


def h(message, size=32, key=b""):
    return blake2b(message, digest_size=size, key=key).digest()


def kdf(number, seed):
    # crypto_kdf_derive_from_key is BLAKE2b with the number as salt and the context as personal.
    return blake2b(b"", digest_size=32, key=seed, salt=struct.pack("<Q", number) + bytes(8),
                   person=b"VSR1seed" + bytes(8)).digest()


def text(value):
    return struct.pack("<H", len(value.encode())) + value.encode()


def operation(kind, body):
    return struct.pack("<BI", kind, len(body)) + body


seed = bytes(range(32))
signing, signer = sodium.crypto_sign_seed_keypair(kdf(1, seed))
sealing, _ = sodium.crypto_box_seed_keypair(kdf(2, seed))
nonce = bytes([9]) * 16
space = h(b"VSR1/space" + signing + sealing + nonce, 16)
stream = h(b"VSR1/stream" + space + signing + sealing, 16)
epoch = bytes([5]) * 32
three = plistlib.dumps(3, fmt=plistlib.FMT_BINARY)
item = (bytes([7]) * 16 + struct.pack("<qqQ", 1, 2, 3) + struct.pack("<H", 2)
        + struct.pack("<B", 1) + text("") + struct.pack("<BI", 1, 5) + b"token"
        + struct.pack("<B", 2) + text("") + struct.pack("<BI", 3, 6) + b"s3cr3t"
        + struct.pack("<H", 0))
preferences = (text("com.example.tool") + b"\x01" + struct.pack("<I", 2)
               + text("count") + struct.pack("<q", 4) + struct.pack("<BI", 1, len(three)) + three
               + text("gone") + struct.pack("<qB", 5, 0))
# The operation of kind 99 is one of a newer version.
operations = [operation(16, signing + sealing + nonce + text("laptop")),
              operation(99, b"later"), operation(3, preferences), operation(1, item)]
plain = struct.pack("<qHI", 1790000000000, 0, len(operations)) + b"".join(operations)
padded = plain + b"\x80"
padded += bytes(-len(padded) % 64)
prefix = b"VSR1" + space + stream + struct.pack("<QI", 1, 1) + bytes(32)
key = h(b"VSR1/record" + stream + struct.pack("<Q", 1), key=epoch)
salt = bytes(range(24))
sealed = salt + sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(padded, prefix, salt, key)
signed = prefix + sealed
record = signed + sodium.crypto_sign(b"VSR1/signature" + signed, signer)[:64]

# What this record alone comes to: section 7's content, sealed as section 9 says. A ref is the first
# stream and the number 1.
ref = struct.pack("<HQ", 0, 1)



def content_of(refs):
    """The content; `refs` are those of the record, by the form."""
    content = (struct.pack("<H", 1) + stream + struct.pack("<Q", 1)
               + struct.pack("<H", 1) + h(b"VSR1/epoch", 16, epoch)
               + struct.pack("<I", 1) + ref + h(record) + struct.pack("<qH", 1790000000000, 0)
               + refs + struct.pack("<I", 1) + operations[0]
               + struct.pack("<I", 1) + text("com.example.tool") + b"\x01" + struct.pack("<I", 2)
               + text("count") + struct.pack("<H", 1) + ref + struct.pack("<q", 4)
               + struct.pack("<BI", 1, len(three)) + three
               + text("gone") + struct.pack("<H", 1) + ref + struct.pack("<qB", 5, 0)
               + struct.pack("<I", 1) + bytes([7]) * 16 + struct.pack("<qQ", 1, 3)
               + struct.pack("<HB", 1, 1) + ref + struct.pack("<q", 2) + struct.pack("<H", 0)
               + struct.pack("<I", 2)
               + struct.pack("<B", 1) + text("") + struct.pack("<HB", 1, 0)
               + struct.pack("<BI", 1, 5) + b"token"
               + struct.pack("<B", 2) + text("") + struct.pack("<HB", 1, 0)
               + struct.pack("<BI", 3, 6) + b"s3cr3t" + struct.pack("<H", 0))
    content += b"\x80"
    content += bytes(-len(content) % 64)
    assert len(content) <= 1024
    return content


def snapshot_of(form, refs):
    label, content = b"VSR1/snapshot", content_of(refs)
    part = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
        content, label + space, bytes(24), h(label + h(content), key=epoch))
    told = operation(22, bytes([form]) + struct.pack("<H", 1) + stream + struct.pack("<Q", 1)
                     + struct.pack("<H", 1) + h(part) + h(content))
    return part, told


# A record that knows nothing of others; in the earlier form it names itself.
part, snapshot = snapshot_of(2, struct.pack("<H", 0))
earlier_part, earlier = snapshot_of(1, struct.pack("<H", 1) + ref)
for name, value in [("signing", signing), ("sealing", sealing), ("space", space),
                    ("stream", stream), ("epoch", h(b"VSR1/epoch", 16, epoch)),
                    ("record", record), ("part", part), ("name", h(part)),
                    ("snapshot", snapshot), ("earlier-part", earlier_part),
                    ("earlier-snapshot", earlier)]:
    print(name, value.hex())
