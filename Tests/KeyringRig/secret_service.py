#!/usr/bin/python3
"""A Secret Service that misbehaves, one way at a time.

usage: secret_service.py MODE      (on the bus of DBUS_SESSION_BUS_ADDRESS)

Prints "ready" once it owns the name. `ok` behaves. `counting` keeps items as a keyring does, and writes a line for
each call into $HOME/calls: the caller's name on the bus and the method. `cutting` keeps 8,192 bytes of a secret at most,
and nothing from the first NUL on. `prompting` makes and deletes items by prompts that ask nobody, adds attributes of its
own and finds nothing by a search for no attributes, as KeePassXC does; `losing` makes them without the attributes that it
was given, and `slow-calls` keeps items and takes 10 ms for each call. Where there is a file $HOME/items.json, a list
of {"attributes": {…}, "secret": "…"}, it keeps those items, and misbehaves with them. Needs python3-jeepney and
python3-cryptography.
"""

import hashlib
import hmac
import json
import os
import sys
import threading

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from jeepney import DBusAddress, HeaderFields, MessageType, new_error, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.threading import open_dbus_connection

NAME = "org.freedesktop.secrets"
ROOT = "/org/freedesktop/secrets"
COLLECTION = ROOT + "/collection/main"
ITEM = COLLECTION + "/1"
OTHER = COLLECTION + "/2"
SESSION = ROOT + "/session/1"
PROMPT = ROOT + "/prompt/1"

# RFC 2409, section 6.2.
PRIME = int(
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A0879"
    "8E3404DDEF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B"
    "0BFF5CB6F406B7EDEE386BFB5A899FA5AE9F24117C4B1FE649286651ECE65381FFFFFFFFFFFFFFFF",
    16,
)

SECRETS = {
    "secret-nul": b"a\0b",
    "secret-nonutf8": b"\xff\xfe\x80",
    "secret-empty": b"",
    "secret-8mib": bytes(i * 7 % 251 for i in range(8192)) * 1024,
    "secret-escape": b"\x1b[2Jx",
}


KEEPING = ("session-differs", "counting", "cutting", "prompting", "losing", "slow-calls")


class Service:
    def __init__(self, mode):
        self.mode = mode
        # Each client's session has a key of its own.
        self.keys = {}
        self.client = threading.local()
        self.sessions = 0
        self.locked = mode.startswith("prompt-") or mode == "plain-locked"
        # What a prompt that asks nobody has done.
        self.result = None
        self.secret = SECRETS.get(mode, b"right secret")
        self.connection = open_dbus_connection("SESSION")
        self.store = {}
        self.created = 0
        seed = os.path.join(os.environ["HOME"], "items.json")
        if os.path.exists(seed):
            with open(seed, encoding="utf-8") as file:
                for item in json.load(file):
                    self.created += 1
                    path = f"{COLLECTION}/{self.created}"
                    self.store[path] = (item["attributes"], item["secret"].encode())
        self.keeps = mode in KEEPING or self.created > 0

    # -- cryptography

    @property
    def key(self):
        return self.keys.get(self.client.name)

    @property
    def has_other_key(self):
        """Whether the two sides' keys differ, as KWallet's does where the shared secret begins with a zero.

        One time in 256 what comes of it looks like a secret; here never.
        """
        return self.mode == "session-differs" and self.sessions == 1

    def open_session(self, algorithm, value):
        if algorithm == "plain":
            return ("vo", (("s", ""), SESSION))
        if self.mode in ("plain-only", "plain-locked"):
            raise KeyError("org.freedesktop.DBus.Error.NotSupported")
        self.sessions += 1
        # As KWallet answers to a key with a zero at its beginning, and where it has nothing to encrypt with.
        if self.mode == "session-refused" or self.mode == "session-refused-twice" and self.sessions < 3:
            raise KeyError("org.freedesktop.DBus.Error.InvalidArgs")
        private = int.from_bytes(os.urandom(64), "big")
        shared = pow(int.from_bytes(value, "big"), private, PRIME).to_bytes(128, "big")
        pseudorandom = hmac.new(bytes(32), shared, hashlib.sha256).digest()
        self.keys[self.client.name] = hmac.new(pseudorandom, b"\x01", hashlib.sha256).digest()[:16]
        public = pow(2, private, PRIME).to_bytes(128, "big")
        answers = {
            "dh-0": ("ay", b"\0"),
            "dh-1": ("ay", b"\1"),
            "dh-p-1": ("ay", (PRIME - 1).to_bytes(128, "big")),
            "dh-empty": ("ay", b""),
            "dh-huge": ("ay", b"\xab" * 100_000),
            "dh-string": ("s", "public"),
        }
        return ("vo", (answers.get(self.mode, ("ay", public)), SESSION))

    def encrypted(self, secret):
        kind = "x/\x1b[2J" if self.mode == "secret-escape" else "text/plain"
        session = ROOT + "/session/9" if self.mode == "other-session" else SESSION
        if self.key is None:
            return (session, b"", secret, kind)
        iv = os.urandom(16)
        padding = 16 - len(secret) % 16
        encryptor = Cipher(algorithms.AES(self.key), modes.CBC(iv)).encryptor()
        text = encryptor.update(secret + bytes([padding]) * padding) + encryptor.finalize()
        if self.mode == "cipher-padding" or self.has_other_key:
            # The last byte of the block before is the padding's: 4 becomes 84, more than a block.
            iv = iv[:15] + bytes([iv[15] ^ 0x50])
        iv = {"iv-short": iv[:7], "iv-empty": b""}.get(self.mode, iv)
        text = {
            "cipher-odd": text[:13],
            "cipher-empty": b"",
        }.get(self.mode, text)
        return (session, iv, text, kind)

    def decrypted(self, secret):
        _, iv, text, _ = secret
        if self.key is None:
            return text
        if self.has_other_key:
            raise KeyError("org.freedesktop.DBus.Error.InvalidArgs")
        decryptor = Cipher(algorithms.AES(self.key), modes.CBC(iv)).decryptor()
        plain = decryptor.update(text) + decryptor.finalize()
        return plain[: -plain[-1]]

    # -- the interface

    def item(self, path):
        if path not in (ITEM, OTHER):
            raise KeyError("org.freedesktop.Secret.Error.NoSuchObject")
        name = "api-token" if path == ITEM else "other"
        label = "x\x1b[2Jlabel" if self.mode == "secret-escape" else "vault: " + name
        attributes = {"service": "vault", "username": name, "application": "vault"}
        return {
            "Label": ("s", label),
            "Attributes": ("a{ss}", attributes),
            "Locked": ("b", self.locked),
            "Created": ("t", 1),
            "Modified": ("t", 2),
        }

    def kept(self, secret):
        plain = self.decrypted(secret)
        return plain.split(b"\0")[0][:8192] if self.mode == "cutting" else plain

    def keep(self, path, member, body):
        """The reply of a keyring that keeps what it is given; None for what `answer` says."""
        if member == "SearchItems":
            found = [
                path for path, (attributes, _) in self.store.items()
                if all(attributes.get(name) == value for name, value in body[0].items())
                and (body[0] or self.mode != "prompting")
            ]
            return ("aoao", ([], found) if self.items_are_locked else (found, []))
        if self.items_are_locked and member in ("CreateItem", "SetSecret", "Delete"):
            raise KeyError("org.freedesktop.Secret.Error.IsLocked")
        if member == "GetSecrets" and self.items_are_locked:
            return ("a{o(oayays)}", ({},))
        if member == "CreateItem":
            self.created += 1
            path = f"{COLLECTION}/{self.created}"
            attributes = body[0]["org.freedesktop.Secret.Item.Attributes"][1]
            if self.mode == "prompting":
                attributes = {**attributes, "Title": "x", "Path": "/x", "Uuid": str(self.created)}
            if self.mode == "losing":
                attributes = {}
            self.store[path] = (attributes, self.kept(body[1]))
            if self.mode in ("prompting", "losing"):
                self.result = ("o", path)
                return ("oo", ("/", PROMPT))
            return ("oo", (path, "/"))
        if member == "GetSecrets":
            found = {path: self.encrypted(self.store[path][1]) for path in body[0]}
            return ("a{o(oayays)}", (found,))
        if path in self.store and member == "SetSecret":
            self.store[path] = (self.store[path][0], self.kept(body[0]))
            return ("", ())
        if path in self.store and member == "Delete":
            del self.store[path]
            if self.mode in ("prompting", "losing"):
                self.result = ("s", "")
                return ("o", (PROMPT,))
            return ("o", ("/",))
        if member == "GetAll" and path != COLLECTION and path not in self.store:
            raise KeyError("org.freedesktop.Secret.Error.NoSuchObject")
        if member == "Get" and body[1] == "Collections":
            return ("v", (("ao", [COLLECTION]),))
        if member == "Get" and body[1] == "Items":
            return ("v", (("ao", list(self.store)),))
        if path in self.store and member == "GetAll":
            attributes = self.store[path][0]
            return ("a{sv}", ({
                "Label": ("s", "vault: " + attributes.get("username", "")),
                "Attributes": ("a{ss}", attributes), "Locked": ("b", self.items_are_locked),
                "Created": ("t", 1), "Modified": ("t", 2),
            },))
        return None

    @property
    def items_are_locked(self):
        return self.locked or self.mode == "item-locked"

    def misbehaves(self, member):
        """Whether the mode has an answer of its own, whatever is kept."""
        return self.mode == "mute" or (self.mode, member) in {
            ("hang-getsecrets", "GetSecrets"), ("die-getsecrets", "GetSecrets"),
            ("wrong-type", "GetSecrets"), ("no-item", "GetSecrets"),
            ("hang-create", "CreateItem"), ("die-create", "CreateItem"),
        }

    def count(self, sender, member):
        with open(os.path.join(os.environ["HOME"], "calls"), "a") as file:
            file.write(f"{sender} {member}\n")

    def answer(self, path, interface, member, body):
        """The signature and body of the reply; None for no reply."""
        mode = self.mode
        if mode == "die" and member in ("GetSecrets", "CreateItem", "SetSecret", "Delete"):
            os._exit(0)
        if self.keeps and not self.misbehaves(member):
            kept = self.keep(path, member, body)
            if kept is not None:
                return kept
        if mode == "mute":
            return None
        if member == "OpenSession":
            return self.open_session(body[0], body[1][1])
        if member == "ReadAlias":
            return ("o", (COLLECTION,))
        if member == "SearchItems":
            found = [ITEM] if body[0].get("username", "api-token") == "api-token" else []
            if mode == "other-item-searched":
                found = [OTHER]
            if mode == "search-ghosts":
                found = [COLLECTION + "/77", COLLECTION + "/78"]
            return ("aoao", ([], found) if self.locked else (found, []))
        if member == "GetSecrets":
            if mode in ("hang-getsecrets",):
                return None
            if mode == "die-getsecrets":
                os._exit(0)
            if mode == "slow":
                threading.Event().wait(3)
            if mode == "no-item":
                return ("a{o(oayays)}", ({},))
            if mode == "other-secret":
                return ("a{o(oayays)}", ({OTHER: self.encrypted(b"wrong secret")},))
            if mode == "wrong-type":
                return ("s", ("a secret",))
            answers = {path: self.encrypted(self.secret) for path in body[0]}
            if mode == "extra-secret":
                answers[OTHER] = self.encrypted(b"wrong secret")
            return ("a{o(oayays)}", (answers,))
        if member == "GetAll":
            if path == COLLECTION:
                return ("a{sv}", ({"Label": ("s", "main"), "Locked": ("b", self.locked)},))
            return ("a{sv}", (self.item(path),))
        if member == "Get":
            return ("v", (("b", self.locked),))
        if member == "CreateItem":
            if mode == "die-create":
                os._exit(0)
            if mode == "hang-create":
                return None
            self.secret = self.decrypted(body[1])
            return ("oo", (ITEM, "/"))
        if member == "SetSecret":
            self.secret = self.decrypted(body[0])
            return ("", ())
        if member == "Delete":
            return ("o", ("/",))
        if member == "Unlock":
            return ("aoo", ([], PROMPT))
        if member == "Lock":
            self.locked = True
            return ("aoo", (body[0], "/"))
        if member == "Prompt":
            if mode == "prompt-die":
                os._exit(0)
            return ("", ())
        if member == "Dismiss":
            print("dismissed", flush=True)
            return ("", ())
        raise KeyError("org.freedesktop.DBus.Error.UnknownMethod")

    def after(self, member):
        if member != "Prompt" or self.mode == "prompt-never":
            return
        if self.mode == "prompt-ok":
            self.locked = False
        dismissed = self.mode == "prompt-dismissed"
        signature, body = "bv", (dismissed, ("ao", [] if dismissed else [COLLECTION]))
        if self.result:
            body = (False, self.result)
        if self.mode == "prompt-wrong-type":
            signature, body = "s", ("done",)
        emitter = DBusAddress(PROMPT, interface="org.freedesktop.Secret.Prompt")
        self.connection.send(new_signal(emitter, "Completed", signature, body))

    def run(self):
        self.connection.send(message_bus.RequestName(NAME))
        while True:
            message = self.connection.receive()
            fields = message.header.fields
            if message.header.message_type == MessageType.method_return:
                if fields.get(HeaderFields.sender) == "org.freedesktop.DBus" and message.body == (1,):
                    print("ready", flush=True)
            if message.header.message_type != MessageType.method_call:
                continue
            member = fields.get(HeaderFields.member)
            if self.mode == "counting":
                self.count(fields.get(HeaderFields.sender), member)
            if self.mode == "late":
                # Each call is answered late, several at a time.
                threading.Timer(0.9, self.reply, [message]).start()
            elif self.mode == "slow-calls":
                threading.Timer(0.01, self.reply, [message]).start()
            else:
                self.reply(message)

    def reply(self, message):
        fields = message.header.fields
        member = fields.get(HeaderFields.member)
        self.client.name = fields.get(HeaderFields.sender)
        try:
            reply = self.answer(
                fields.get(HeaderFields.path), fields.get(HeaderFields.interface), member,
                message.body,
            )
        except KeyError as error:
            self.connection.send(new_error(message, error.args[0]))
            return
        if reply is not None:
            signature, body = reply
            self.connection.send(new_method_return(message, signature or None, body))
            self.after(member)


if __name__ == "__main__":
    try:
        Service(sys.argv[1]).run()
    except (ConnectionResetError, EOFError, BrokenPipeError):
        pass  # The bus is gone: the test is over.
