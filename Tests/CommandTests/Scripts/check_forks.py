"""check_forks.py STATUS: checks the proofs of two histories that `vault sync status --json` has written.

It reads Documentation/design/sync-format.md, sections 1 and 2, and no key of anybody: the stream is the hash of the keys beside
a record, the signature is the stream's, and of one number there are two records. Ends with 1 if that is not so.
"""

import base64
import ctypes
import ctypes.util
import hashlib
import json
import struct
import sys

sodium = ctypes.CDLL(ctypes.util.find_library("sodium"))
assert sodium.sodium_init() >= 0


def h(message, size=32):
    return hashlib.blake2b(message, digest_size=size).digest()


def check(fork):
    hashes = set()
    for proof in fork["records"]:
        record = base64.b64decode(proof["record"])
        signing, sealing = bytes.fromhex(proof["signingKey"]), bytes.fromhex(proof["sealingKey"])
        space, stream = record[4:20], record[20:36]
        assert record[:4] == b"VSR1", "no record"
        assert stream == h(b"VSR1/stream" + space + signing + sealing, 16), "the keys are another machine's"
        assert stream.hex() == fork["id"] == proof["id"], "a record of another machine"
        assert struct.unpack("<Q", record[36:44])[0] == fork["number"], "another number"
        message = b"VSR1/signature" + record[:-64]
        assert sodium.crypto_sign_verify_detached(
            record[-64:], message, ctypes.c_ulonglong(len(message)), signing) == 0, "not signed by the machine"
        assert h(record).hex() == proof["hash"], "another hash"
        hashes.add(h(record))
    assert len(hashes) == 2, "not two records"


with open(sys.argv[1], encoding="utf-8") as file:
    forks = json.load(file)["forks"]
assert forks, "no forks"
for one in forks:
    check(one)
