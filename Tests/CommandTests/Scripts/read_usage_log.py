"""Reads a usage log as Documentation/design/file-format.md has it, without the program:

    read_usage_log.py VAULT-FILE KEY-FILE LOG HEAD

Prints a JSON array of the uses, once every record is opened and the chain and the head are right. Shares
nothing with the program: Python's hashlib and PyNaCl (python3-nacl).
"""

import hashlib
import json
import struct
import sys

from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt as unseal


def b2(data, size=32, key=b""):
    return hashlib.blake2b(data, digest_size=size, key=key).digest()


def vault_key(file, key):
    """Opens the slot of a key file; returns the vault's id and its key."""
    (length,) = struct.unpack_from("<I", file, 12)
    (slots,) = struct.unpack_from("<I", file, 48)
    assert b2(file[:length - 32]) == file[length - 32:length], "header"
    offset = 64
    for _ in range(slots):
        kind, size = struct.unpack_from("<HH", file, offset)
        record = file[offset + 4:offset + size]
        offset += size
        if kind != 2:
            continue
        fixed, nonce, wrapped = record[16:41], record[41:65], record[65:113]
        (label,) = struct.unpack_from("<H", record, 145)
        ad = file[:10] + file[16:32] + record[:16] + struct.pack("<H", kind) + fixed + record[147 + label:]
        kek = b2(b"VLT1/kek" + ad, key=key)
        assert b2(b"VLT1/commit" + ad, key=kek) == record[113:145], "commitment"
        return file[16:32], unseal(wrapped, ad, nonce, kek)
    sys.exit("no key file opens the vault")


def unpadded(data):
    data = data.rstrip(b"\0")
    assert data[-1] == 0x80, "padding"
    return data[:-1]


class Reader:
    def __init__(self, data):
        self.data, self.offset = data, 0

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.offset)
        self.offset += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    def bytes(self):
        count = self.take("H")
        self.offset += count
        return self.data[self.offset - count:self.offset]


def use(sequence, data):
    reader = Reader(data)
    time, item = reader.take("q16s")
    name, kind = reader.bytes().decode(), reader.take("B")
    field, verb, allowed = reader.bytes().decode(), reader.bytes().decode(), reader.take("B")
    user, _login, _terminal = reader.take("III")
    reader.bytes()
    programs = []
    for _ in range(reader.take("B")):
        pid, is_path = reader.take("iB")
        programs.append([pid, is_path, reader.bytes().hex()])
    account = {}
    while reader.offset < len(data):
        tag = reader.take("B")
        assert tag > max(account, default=0), "parts out of order"
        account[tag] = reader.bytes().decode()
    assert reader.offset == len(data), "trailing bytes"
    return {"number": sequence, "time": time, "id": item.hex(), "name": name, "verb": verb,
            "field": [None, field, "*"][kind], "isAllowed": allowed == 1, "user": user, "programs": programs}


def main():
    vault, key, log, head = (open(path, "rb").read() for path in sys.argv[1:5])
    vault_id, root = vault_key(vault, key)
    blind = hashlib.blake2b(b"", digest_size=32, key=root, salt=struct.pack("<Q", 4) + bytes(8),
                            person=b"VLTkeys1" + bytes(8)).digest()
    sealing = b2(b"VLT1/use-key", key=blind)
    assert log[:24] == b"VLTu" + struct.pack("<I", 1) + vault_id, "beginning of the log"
    offset, expected, uses, oldest = 24, None, [], None
    while offset < len(log):
        length, kind, version, zero, sequence = struct.unpack_from("<IBBHQ", log, offset)
        record = log[offset:offset + length]
        place, previous = record[16:32], record[32:64]
        assert (version, zero, len(record)) == (1, 0, length), "record"
        contents = unpadded(unseal(
            record[88:], b"VLT1/use" + vault_id + record[:64], record[64:88], sealing))
        if kind == 2:
            assert expected is None and contents[8] == 0, "start"
            expected = (sequence + 1, previous)
            (oldest,) = struct.unpack_from("<q", contents)
        else:
            assert kind == 1 and (sequence, previous) == expected, "chain"
            expected = (sequence + 1, b2(record))
            entry = use(sequence, contents)
            item = bytes.fromhex(entry["id"])
            assert place == (b2(b"VLT1/use-item" + item, 16, blind) if any(item) else bytes(16)), "place"
            uses.append(entry)
        offset += length
    signed, authenticator = head[:64], head[64:]
    assert b2(b"VLT1/use-head" + vault_id + signed, key=blind) == authenticator, "head"
    assert signed == b"VLTh" + struct.pack("<IQ", 1, expected[0] - 1) + expected[1] + struct.pack(
        "<Qq", len(log), oldest), "what the head says"
    print(json.dumps(uses))


main()
