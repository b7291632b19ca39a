#!/usr/bin/python3
"""Writes the vectors of the log of uses into its own folder.

An implementation of Documentation/design/file-format.md, "The log of uses", that shares nothing with the program's:
Python's hashlib and PyNaCl (python3-nacl). A log is OUTCOME--WHAT.uses with its head, WHAT.uses-head, of the vault in
opens--one-item.vault beside this folder; expected.json has what is read of each, and what is wrong with it.
"""

import json
import os
import struct
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(here))
from make_vectors import ITEM, TIME, VAULT, aead, b2, kdf, pad, str16  # noqa: E402

BLIND = kdf(4)
USE = b2(b"VLT1/use-key", key=BLIND)
RANDOM = bytes(range(200, 232))


def block(data):
    return pad(data, (len(data) + 64) // 64 * 64)


def record(kind, sequence, previous, contents, item=None, version=1, key=USE):
    place = b2(b"VLT1/use-item" + item, 16, BLIND) if item else bytes(16)
    plain = block(contents)
    length = 64 + 24 + len(plain) + 16
    start = struct.pack("<IBBHQ", length, kind, version, 0, sequence) + place + previous
    return start + aead(plain, b"VLT1/use" + VAULT + start, key, bytes([sequence % 251 + kind]) * 24)


def start(reason=0, sequence=0, until=0, previous=RANDOM):
    return record(2, sequence, previous, struct.pack("<qBq", TIME, reason, until))


def contents(use):
    """The bytes of a use as expected.json has it."""
    field = use["field"]
    kind = 0 if field is None else 2 if field == "*" else 1
    data = struct.pack("<q", use["time"]) + bytes.fromhex(use["id"] or "00" * 16) + str16(use["name"])
    data += bytes([kind]) + str16(field if kind == 1 else "") + str16(use["verb"]) + bytes([use["isAllowed"]])
    login = 0xFFFFFFFF if use["loginUser"] is None else use["loginUser"]
    data += struct.pack("<III", use["user"], login, use["terminal"]) + str16(bytes.fromhex(use["controlGroup"]))
    data += bytes([len(use["programs"])])
    for process, is_path, name in use["programs"]:
        data += struct.pack("<iB", process, is_path) + str16(bytes.fromhex(name))
    for tag, part in ((1, "purpose"), (2, "reason"), (3, "decidedBy")):
        if use[part] is not None:
            data += bytes([tag]) + str16(use[part])
    return data


def use(number, **more):
    """A use, with what a test does not name."""
    return {"number": number, "time": TIME + number, "id": ITEM.hex(), "name": "api-token", "field": None,
            "verb": "get", "isAllowed": True, "user": 1000, "loginUser": 1000, "terminal": 0x8803,
            "controlGroup": b"/user.slice/session-3.scope".hex(),
            "programs": [[77, True, b"/usr/bin/git".hex()], [1, True, b"/usr/lib/systemd/systemd".hex()]],
            "purpose": None, "reason": None, "decidedBy": None, **more}


def sealed(uses, first=None, tail=None):
    """The start and the records, each bound to the one before."""
    records = [first or start()]
    (_, _, _, _, sequence) = struct.unpack_from("<IBBHQ", records[0])
    previous = records[0][32:64]
    for number, one in enumerate(uses, sequence + 1):
        assert one["number"] == number
        item = bytes.fromhex(one["id"]) if one["id"] else None
        records.append(record(1, number, previous, contents(one) + (tail or b""), item))
        previous = b2(records[-1])
    return records


def log(records, vault=VAULT, version=1):
    return b"VLTu" + struct.pack("<I", version) + vault + b"".join(records)


def head(records, count=None, key=BLIND, vault=VAULT):
    last = records[-1]
    (_, _, _, _, sequence) = struct.unpack_from("<IBBHQ", last)
    sequence = sequence if count is None else count
    value = b2(last) if last[4] != 2 else last[32:64]
    signed = b"VLTh" + struct.pack("<IQ", 1, sequence) + value + struct.pack("<Qq", len(log(records)), TIME)
    return signed + b2(b"VLT1/use-head" + vault + signed, key=key)


def flipped(data, offset):
    return data[:offset] + bytes([data[offset] ^ 1]) + data[offset + 1:]


EVERY = [
    use(1),
    use(2, field="user", verb="run", programs=[[9, False, b"sudo".hex()]], terminal=0, loginUser=None),
    use(3, field="*", verb="export", isAllowed=False, controlGroup="", programs=[]),
    # Names of programs and of groups are any bytes.
    use(4, programs=[[2 ** 31 - 1, True, b"/bin/\xff\n\xc3".hex()], [-1, False, b"\x80".hex()]],
        controlGroup=b"/\xfe".hex()),
    use(5, id=None, name="", verb="log-off"),
    use(6, verb="a verb of later", name="work/\u00e4 \u65e5\u672c"),
    use(7, verb="git by guard in pid:[4026532281]", purpose="https://github.com", reason="push the fix",
        decidedBy="the terminal pts/3, until the end of this run"),
    use(8, verb="ssh-agent for git at github.com (known)", purpose="git at github.com (known)",
        decidedBy="nobody", isAllowed=False),
    use(9, verb="mcp", reason="x" * 400),
    # A clock that was set back.
    use(10, time=TIME - 5000),
]
three = sealed([use(1), use(2), use(3)])
uses3 = [use(1), use(2), use(3)]
other = sealed([use(1, verb="run"), use(2), use(3)])
pruned = sealed([use(41), use(42)], start(1, 40, TIME - 9, RANDOM))
lost = sealed([use(6)], start(2, 5))
gone = sealed([use(1)], start(3))

# The name: the log, its head (None for none), the uses that are read, and the codes of problems.
VECTORS = {
    "whole--every-part": (log(sealed(EVERY)), head(sealed(EVERY)), EVERY, []),
    "whole--no-uses": (log([start()]), head([start()]), [], []),
    # A part of the account that a later version adds, behind those that are known.
    "whole--an-unknown-part": (
        log(sealed(uses3, tail=b"\x09" + str16("later"))), head(sealed(uses3, tail=b"\x09" + str16("later"))),
        uses3, []),
    "whole--pruned": (log(pruned), head(pruned), [use(41), use(42)], []),
    "whole--a-writer-was-killed-before-the-head": (log(three), head(three[:3]), uses3, []),
    "whole--torn-bytes-at-the-end": (log(three) + three[3][:70], head(three), uses3, []),
    "cut-off--the-last-record": (log(three[:3]), head(three), uses3[:2], ["cut-off"]),
    "missing--between-two": (log(three[:2] + three[3:]), head(three), [use(1), use(3)], ["missing"]),
    "beginning-missing--without-a-start": (log(three[2:]), head(three), uses3[1:], ["beginning-missing"]),
    "beginning-missing--the-file-was-missing": (log(lost), head(lost), [use(6)], ["beginning-missing"]),
    "changed--a-byte": (log(three[:2] + [flipped(three[2], 90)] + three[3:]), head(three), [use(1), use(3)],
                        ["changed"]),
    "changed--the-item": (log(three[:2] + [flipped(three[2], 16)] + three[3:]), head(three), [use(1), use(3)],
                          ["changed"]),
    "unchained--a-record-of-another-log": (log(three[:1] + other[1:2] + three[2:]), head(three),
                                           [use(1, verb="run"), use(2), use(3)], ["unchained"]),
    # It is read twice, and counts once.
    "out-of-place--repeated": (log(three + three[2:3]), head(three), uses3 + [use(2)], ["out-of-place"]),
    "unreadable--bytes-between": (log(three[:2] + [b"\0" * 130] + three[2:]), head(three), uses3, ["unreadable"]),
    "foreign--another-vault": (log(three, bytes(16)), head(three), [], ["foreign"]),
    "head-missing--none": (log(three), None, uses3, ["head-missing"]),
    "head-changed--by-another-key": (log(three), head(three, key=bytes(32)), uses3, ["head-changed"]),
    "head-changed--of-another-vault": (log(three), head(three, vault=bytes(16)), uses3, ["head-changed"]),
    "head-changed--a-number": (log(three), flipped(head(three), 8), uses3, ["head-changed"]),
    "head-elsewhere--as-many-records": (log(three), head(sealed([use(1), use(2), use(3, verb="run")])), uses3,
                                        ["head-elsewhere"]),
    "head-was-missing--a-start": (log(gone), head(gone), [use(1)], ["head-was-missing"]),
}

if __name__ == "__main__":
    expected = {}
    for name, (data, top, uses, problems) in VECTORS.items():
        for ending, content in ((".uses", data), (".uses-head", top)):
            if content is not None:
                with open(os.path.join(here, name + ending), "wb") as file:
                    file.write(content)
        expected[name] = {"uses": uses, "records": len({one["number"] for one in uses}), "problems": problems}
    with open(os.path.join(here, "expected.json"), "w", encoding="ascii") as file:
        json.dump(expected, file, indent=1, sort_keys=True)
        file.write("\n")
