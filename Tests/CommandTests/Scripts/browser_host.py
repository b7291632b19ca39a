"""A client of the native messaging host, which also does what no extension does.

`browser_host.py TEST`: VAULT names the command, HELPER the helper; HOME and the vault are a test's own.
What a person would say is in ~/answer, a word for the next question, and the questions lie in
~/questions: see the program of VAULT_ASKPASS. The cryptography is libsodium's, called by ctypes.
"""

import base64
import ctypes
import ctypes.util
import json
import os
import select
import signal
import struct
import subprocess
import sys
import threading
import time

sodium = ctypes.CDLL(ctypes.util.find_library("sodium"))
assert sodium.sodium_init() >= 0
LIMIT = 1 << 20
HOME = os.environ["HOME"]
VAULT, HELPER = os.environ["VAULT"], os.environ["HELPER"]
FIREFOX = ["/manifest.json", "keepassxc-browser@keepassxc.org"]
CHROME = ["chrome-extension://oboonakemofpalcgghocfoadofidjkkk/"]
LOCKED, NO_KEY, UNREADABLE, DENIED, ASSOCIATION = "1", "3", "4", "6", "8"
KEY_CHANGE, UNSUPPORTED, EMPTY, NO_ADDRESS, NO_LOGINS, NO_GROUP, UNKNOWN = (
    "9", "12", "13", "14", "15", "17", "18")
CANARY = "s3cr3t-CANARY"


def b64(data):
    return base64.b64encode(data).decode()


def keypair():
    public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(32)
    sodium.crypto_box_keypair(public, secret)
    return public.raw, secret.raw


def box(message, nonce, public, secret):
    out = ctypes.create_string_buffer(len(message) + 16)
    assert sodium.crypto_box_easy(
        out, message, ctypes.c_ulonglong(len(message)), nonce, public, secret) == 0
    return out.raw


def unbox(sealed, nonce, public, secret):
    out = ctypes.create_string_buffer(max(1, len(sealed) - 16))
    assert sodium.crypto_box_open_easy(
        out, sealed, ctypes.c_ulonglong(len(sealed)), nonce, public, secret) == 0
    return out.raw[: len(sealed) - 16]


def following(nonce):
    return (int.from_bytes(nonce, "little") + 1 & (1 << 192) - 1).to_bytes(24, "little")


class Host:
    """The helper as a browser starts it."""

    def __init__(self, arguments=FIREFOX, environment=None):
        self.process = subprocess.Popen(
            [HELPER, "browser"] + arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=environment)
        self.signals = []
        self.waiting = []

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.write(struct.pack("=I", len(data)) + data)

    def take(self, count, seconds):
        data = b""
        end = time.monotonic() + seconds
        while len(data) < count:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise TimeoutError
            part = os.read(self.process.stdout.fileno(), count - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def message(self, seconds=120):
        length = struct.unpack("=I", self.take(4, seconds))[0]
        assert 0 < length <= LIMIT, length
        return json.loads(self.take(length, seconds))

    def next(self, seconds=120):
        """The next answer; signals are put aside."""
        if self.waiting:
            return self.waiting.pop(0)
        while True:
            message = self.message(seconds)
            if set(message) == {"action"}:
                self.signals.append(message["action"])
            else:
                return message

    def wait_for(self, name, seconds=120):
        while name not in self.signals:
            message = self.message(seconds)
            if set(message) == {"action"}:
                self.signals.append(message["action"])
            else:
                self.waiting.append(message)
        self.signals.remove(name)

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(120)
        self.process.stdout.close()
        return status, self.process.stderr.read().decode()


class Client:
    """The extension in one profile."""

    def __init__(self, host, number=1):
        self.host = host
        self.id = b64(os.urandom(24))
        self.public, self.secret = keypair()
        self.change_keys()

    def change_keys(self):
        nonce = os.urandom(24)
        self.host.send({
            "action": "change-public-keys", "publicKey": b64(self.public), "nonce": b64(nonce),
            "clientID": self.id})
        answer = self.host.next()
        assert answer["success"] == "true" and answer["nonce"] == b64(following(nonce)), answer
        self.server = base64.b64decode(answer["publicKey"])
        assert len(self.server) == 32 and answer["version"].startswith("2.7."), answer

    def send(self, inner, nonce=None, action=None, **more):
        nonce = nonce or os.urandom(24)
        sealed = box(json.dumps(inner).encode(), nonce, self.server, self.secret)
        self.host.send({
            "action": action or inner["action"], "message": b64(sealed), "nonce": b64(nonce),
            "clientID": self.id, **more})
        return nonce

    def open(self, answer, nonce):
        if "errorCode" in answer:
            assert "nonce" not in answer and "message" not in answer, answer
            assert isinstance(answer["errorCode"], str) and answer["error"], answer
            return answer["errorCode"]
        assert base64.b64decode(answer["nonce"]) == following(nonce), answer
        inner = json.loads(unbox(
            base64.b64decode(answer["message"]), following(nonce), self.server, self.secret))
        assert inner["nonce"] == answer["nonce"] and inner["success"] == "true", inner
        return inner

    def ask(self, inner, seconds=120, **more):
        nonce = self.send(inner, **more)
        answer = self.host.next(seconds)
        assert answer["action"] == inner["action"], answer
        return self.open(answer, nonce)

    def associate(self, word="once", key=None):
        answer_with(word)
        self.identity = b64(keypair()[0])
        got = self.ask({
            "action": "associate", "key": key or b64(self.public), "idKey": self.identity})
        if isinstance(got, dict):
            self.name = got["id"]
        return got

    def keys(self):
        return [{"id": self.name, "key": self.identity}]

    def logins(self, url, word=None, **more):
        if word:
            answer_with(word)
        return self.ask({"action": "get-logins", "url": url, "keys": self.keys(), **more})

    def store(self, url, user, password, word="once", **more):
        answer_with(word)
        return self.ask({
            "action": "set-login", "url": url, "submitUrl": url, "id": self.name, "login": user,
            "password": password, **more})


def answer_with(word):
    with open(f"{HOME}/answer", "w") as file:
        file.write(word)


def questions():
    try:
        with open(f"{HOME}/questions") as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []


def vault(*arguments, text="", status=0):
    run = subprocess.run(
        [VAULT, *arguments], input=text, capture_output=True, text=True)
    assert run.returncode == status, (arguments, run.returncode, run.stderr)
    return run.stdout


def add(name, url, user="me", secret=CANARY, fields=(), *more):
    vault("set", name, "--stdin", "--exact", "--no-session", *more, text=secret)
    for field, value in (("url", url), ("user", user), *fields):
        if value:
            vault("set", name, "--field", field, "--stdin", "--exact", "--no-session", text=value)


def connected(**more):
    client = Client(Host(**more))
    got = client.associate()
    assert isinstance(got, dict) and len(got["hash"]) == 64, got
    return client


def log():
    """The uses, the newest first."""
    records = json.loads(vault("log", "--json"))["records"]
    return sorted(records, key=lambda record: -record["number"])


# MARK: What an extension does


def test_protocol():
    host = Host(CHROME)
    client = Client(host)
    got = client.ask({"action": "get-databasehash", "connectedKeys": []})
    assert got["action"] == "hash" and len(got["hash"]) == 64 and int(got["hash"], 16), got
    assert client.ask({"action": "test-associate", "id": "x", "key": client.id}) == ASSOCIATION
    associated = client.associate()
    assert associated["hash"] == got["hash"] and associated["id"], associated
    assert "wants to be associated with the vault" in questions()[-1], questions()
    assert "python3" in questions()[-1], questions()
    again = Client(host)
    again.name, again.identity = client.name, client.identity
    test = {"action": "test-associate", "id": client.name, "key": client.identity}
    assert again.ask(test)["id"] == client.name
    # An id of a request comes back, also with an error.
    nonce = again.send({"action": "generate-password"}, requestID="12345678")
    answer = host.next()
    assert answer["requestID"] == "12345678"
    assert len(again.open(answer, nonce)["password"]) == 20
    nonce = os.urandom(24)
    host.send({
        "action": "generate-password", "nonce": b64(nonce), "clientID": again.id,
        "requestID": "abc"})
    assert len(again.open(host.next(), nonce)["password"]) == 20
    nonce = again.send({"action": "passkeys-get"}, requestID="abc")
    answer = host.next()
    assert answer["errorCode"] == UNSUPPORTED and answer["requestID"] == "abc", answer
    for action in ("passkeys-register", "request-autotype", "get-logins-count", "", "x"):
        assert again.ask({"action": action}) == UNSUPPORTED
    # A version that has no passkeys.
    assert tuple(int(part) for part in got["version"].split(".")) < (2, 7, 7)
    listed = json.loads(vault("browser", "list", "--json"))["browsers"]
    assert [one["name"] for one in listed] == [client.name], listed
    assert os.path.basename(listed[0]["browser"]).startswith("python3"), listed
    assert host.end() == (0, ""), "the host ends with its browser"


def test_logins():
    add("bank", "https://bank.example/login", fields=[("otp", "JBSWY3DPEHPK3PXP")])
    add("bank/second", "https://bank.example", user="you", secret="other")
    add("bank/many", "https://elsewhere.example", user="both",
        fields=[("url~2", "https://bank.example/login/deep")])
    add("note", "https://bank.example", secret="a note", fields=())
    client = connected()
    got = client.logins("https://bank.example/login/deep?x=1", "once")
    assert got["count"] == "4", got
    order = [entry["name"] for entry in got["entries"]]
    assert order == ["bank/many", "bank", "bank/second", "note"], order
    first = got["entries"][1]
    assert first["login"] == "me" and first["password"] == CANARY and first["group"] == "", first
    assert len(first["uuid"]) == 32 and first["stringFields"] == [], first
    assert len(first["totp"]) == 6 and first["totp"].isdigit(), first
    assert got["entries"][0]["group"] == "bank" and "expired" not in first, got
    assert client.ask({"action": "get-totp", "uuid": first["uuid"]})["totp"].isdigit()
    assert client.ask({"action": "get-totp", "uuid": got["entries"][2]["uuid"]}) == UNKNOWN
    assert client.ask({"action": "get-totp", "uuid": "0" * 32}) == UNKNOWN
    uses = [use for use in log() if use["verb"] == "browser" and use["name"] == "bank"]
    assert [use["field"] for use in uses] == ["otp", None], uses
    assert uses[1]["purpose"] == "https://bank.example" and uses[1]["isAllowed"], uses
    assert uses[1]["decidedBy"] == "the program that asks", uses
    assert uses[1]["programs"][0]["pid"] == os.getpid(), uses
    # An item that has left the site gives no more codes there.
    vault("set", "bank", "--field", "url", "--stdin", "--no-session", text="https://moved.example")
    assert client.ask({"action": "get-totp", "uuid": first["uuid"]}) == UNKNOWN
    vault("set", "bank", "--field", "url", "--stdin", "--no-session", text="https://bank.example")
    # In another connection, what was not given there has no codes.
    other = Client(client.host)
    other.name, other.identity = client.name, client.identity
    other.ask({"action": "test-associate", "id": client.name, "key": client.identity})
    assert other.ask({"action": "get-totp", "uuid": first["uuid"]}) == UNKNOWN
    vault("set", "old", "--stdin", "--exact", "--no-session", "--expires", "2020-01-01", text="x")
    vault("set", "old", "--field", "url", "--stdin", "--no-session", text="https://old.example")
    assert client.logins("https://old.example/", "once")["entries"][0]["expired"] == "true"
    client.host.end()


def test_answers():
    """What a person says holds as long as it was said, for this item and this site."""
    add("bank", "https://bank.example")
    client = connected()
    url = "https://bank.example/"
    for word in ("refused", "yes please", "r h", "2"):
        assert client.logins(url, word) == DENIED, word
    before = len(questions())
    assert client.logins(url, "once")["count"] == "1"
    assert client.logins(url, "refused") == DENIED, "once was kept"
    assert len(questions()) == before + 2
    # "Never" holds for the run of the host; the next one asks again.
    assert client.logins(url, "never") == DENIED and client.logins(url, "once") == DENIED
    client.host.end()
    client.host = Host()
    client.change_keys()
    assert client.logins(url, "run")["count"] == "1"
    before = len(questions())
    assert client.logins(url, "no")["count"] == "1" and len(questions()) == before
    # Another site of the same item, and a form that goes elsewhere, are other questions.
    vault("set", "bank", "--field", "url~2", "--stdin", "--no-session", text="https://two.example")
    assert client.logins("https://two.example/", "refused") == DENIED
    assert client.logins(url, "refused", submitUrl="https://evil.test/x") == DENIED
    assert "The form sends it to https://evil.test." in questions()[-1], questions()[-1]
    assert client.logins(url, "refused", submitUrl="javascript:alert(1)") == DENIED
    assert client.logins(url, submitUrl="https://bank.example/go")["count"] == "1"
    # HTTP authentication asks each time, and keeps no yes.
    for word in ("run", "always", "hour"):
        got = client.logins(url, word, httpAuth="true")
        assert got == DENIED if word == "always" else got["count"] == "1", (word, got)
    assert client.logins(url, "refused", httpAuth="true") == DENIED
    assert "HTTP authentication" in questions()[-1]
    # A "never" holds there, too, and not for the form.
    assert client.logins(url, "never", httpAuth="true") == DENIED
    before = len(questions())
    assert client.logins(url, "once", httpAuth="true") == DENIED and len(questions()) == before
    assert client.logins(url)["count"] == "1"
    client.host.end()


def test_never():
    """What a "never" says of an association and of a new login holds until the host ends."""
    host = Host()
    client = Client(host)
    assert client.associate("never") == DENIED
    before = len(questions())
    assert client.associate("once") == DENIED, "another key of the same browser"
    assert len(questions()) == before
    host.end()
    client = connected()
    assert client.store("https://a.example/", "me", "x", "never") == DENIED
    before = len(questions())
    assert client.store("https://a.example/", "me", "y", "once") == DENIED
    assert len(questions()) == before
    assert client.store("https://b.example/", "me", "y", "once")["success"] == "true"
    client.host.end()


def test_joined():
    """A form and HTTP authentication, and two keys, are no one question."""
    add("bank", "https://bank.example")
    client = connected()
    answer_with("wait")
    before = len(questions())
    request = {"action": "get-logins", "url": "https://bank.example/", "keys": client.keys()}
    nonces = {}
    for more in ({}, {"httpAuth": "true"}):
        nonce = client.send({**request, **more})
        nonces[b64(following(nonce))] = nonce
    while len(questions()) == before:
        time.sleep(0.01)
    # Both wait by now: the host takes messages in their order.
    client.host.send({"action": "x"})
    assert client.host.next()["errorCode"] == NO_KEY
    answer_with("once")
    for _ in range(2):
        answer = client.host.next()
        assert client.open(answer, nonces[answer["nonce"]])["count"] == "1"
    assert len(questions()) == before + 2, questions()[before:]
    # The later key takes the place of the earlier one, which gets nothing by its yes.
    answer_with("wait")
    associate = {"action": "associate", "key": b64(client.public)}
    first = client.send({**associate, "idKey": b64(keypair()[0])})
    second = client.send({**associate, "idKey": b64(keypair()[0])})
    assert client.open(client.host.next(), first) == DENIED
    answer_with("once")
    assert client.open(client.host.next(), second)["id"]
    assert len(json.loads(vault("browser", "list", "--json"))["browsers"]) == 2
    client.host.end()


def test_crowd():
    """What other programs' attributes say crowds out nothing that an item's own field says."""
    add("zz", "https://bank.example", secret="mine")
    for number in range(17):
        vault("set", f"evil/{number}", "--stdin", "--no-session", text="evil", *[
            "--attribute", "url=https://bank.example/login/deep"])
    client = connected()
    got = client.logins("https://bank.example/login/deep", "once")
    assert got["count"] == "16" and got["entries"][0]["password"] == "mine", got
    client.host.end()


def test_always():
    add("bank", "https://bank.example")
    client = connected()
    url = "https://bank.example/"
    assert client.logins(url, "always")["count"] == "1"
    client.host.end()
    client.host = Host()
    client.change_keys()
    before = len(questions())
    assert client.logins(url, "no")["count"] == "1" and len(questions()) == before
    assert log()[0]["decidedBy"] == "the item, kept", log()[0]
    assert client.logins(url, "refused", submitUrl="https://evil.test/") == DENIED
    assert client.logins("https://bank.example:8443/", "refused") == DENIED
    shown = json.loads(vault("show", "bank", "--json"))
    allowed = shown["attributes"]["vault:browser-allow"]
    assert "@https://bank.example#" in allowed and len(allowed) > 100, shown
    assert vault("get", "bank") .strip() == CANARY
    # It is this association's alone.
    other = connected()
    assert other.logins(url, "refused") == DENIED
    # What is taken back is so at once, also in the host that was told.
    assert other.logins(url, "always")["count"] == "1"
    assert other.logins(url, "no")["count"] == "1"
    allowed = json.loads(vault("show", "bank", "--json"))["attributes"]["vault:browser-allow"]
    assert allowed.count("@https://bank.example#") == 2, allowed
    # An imported copy has none of it, nor does what an older form of the name says.
    vault("export", "json", "--yes", "--out", f"{HOME}/export.json")
    vault("set", "bank", "--attribute", "vault:browser-allow=")
    vault("set", "bank", "--attribute", "browser-allow=https://bank.example")
    assert client.logins(url, "refused") == DENIED
    assert other.logins(url, "refused") == DENIED, "taken back in the host that was told"
    other.host.end()
    vault("import", "json", f"{HOME}/export.json", "--prefix", "copy/")
    names = vault("list").splitlines()
    copy = [name for name in names if name.startswith("copy") and name.endswith("bank")]
    assert len(copy) == 1, names
    copied = json.loads(vault("show", copy[0], "--json"))
    assert "vault:browser-allow" not in copied["attributes"], copied
    vault("remove", copy[0])
    # Where a form goes elsewhere, "always" is not offered, and is no yes.
    assert client.logins(url, "always", submitUrl="https://evil.test/") == DENIED
    client.host.end()


def test_planted():
    """What another writer of the vault puts into an item's attributes allows nothing."""
    add("bank", "https://bank.example")
    add("mail", "https://mail.example")
    client = connected()
    url = "https://bank.example/"

    def allowed(item="bank"):
        return json.loads(vault("show", item, "--json"))["attributes"].get("vault:browser-allow", "")

    def plant(text, item="bank"):
        vault("set", item, "--attribute", f"vault:browser-allow={text}")

    assert client.logins(url, "always")["count"] == "1"
    proved = allowed()
    entry, proof = proved.rsplit("#", 1)
    association = entry.split("@")[0]
    assert len(proof) == 64 and client.logins(url, "no")["count"] == "1"
    # The entry of before proofs; one by a key that is not there; one that is changed, cut or longer.
    for text in (entry, f"{entry}#{'0' * 64}", f"{entry}#{proof[:-1]}{'1' if proof[-1] == '0' else '0'}",
                 f"{entry}#{proof[:-2]}", f"{proved}00", f"{entry}#", "#", f"{entry}#{proof.upper()}",
                 f"{association}@https://bank.example.evil.test#{proof}"):
        plant(text)
        assert client.logins(url, "refused") == DENIED, text
    # One of another item, and one for another site of the same item.
    plant(proved, "mail")
    plant(proved.replace("bank.example", "mail.example"), "mail")
    assert client.logins("https://mail.example/", "refused") == DENIED
    plant(f"{proved} {association}@https://evil.test#{proof}")
    vault("set", "bank", "--field", "url", "--stdin", text="https://evil.test")
    assert client.logins("https://evil.test/", "refused") == DENIED
    # What was allowed here stands beside what others have said, and what those have said stays.
    vault("set", "bank", "--field", "url", "--stdin", text="https://bank.example")
    foreign = f"{entry}#{'ab' * 32}"
    plant(foreign)
    assert client.logins(url, "always")["count"] == "1"
    assert allowed().split()[0] == foreign and len(allowed().split()) == 2, allowed()
    assert client.logins(url, "no")["count"] == "1"
    # After a rotation of the vault key, too: the keys of proofs are kept.
    client.host.end()
    vault("key", "rotate", "--new-key-file", os.environ["VAULT_KEY_FILE"])
    client.host = Host()
    client.change_keys()
    assert client.logins(url, "no")["count"] == "1"
    client.host.end()


def test_store():
    client = connected()
    before = len(questions())
    got = client.store("https://new.example:8443/signup?x=1", "me@x", "first password")
    assert got["error"] == "" and got["success"] == "true", got
    assert "new login for https://new.example:8443 as 'new.example/me@x'" in questions()[-1]
    assert "first password" not in "".join(questions())
    assert vault("get", "new.example/me@x").strip() == "first password"
    assert vault("get", "new.example/me@x", "--field", "url").strip() == "https://new.example:8443"
    entry = client.logins("https://new.example:8443/", "once")["entries"][0]
    assert entry["login"] == "me@x" and entry["password"] == "first password"
    got = client.store(
        "https://new.example:8443/", "me@x", "second", uuid=entry["uuid"])
    assert got["success"] == "true" and "new password in" in questions()[-1], questions()[-1]
    assert vault("get", "new.example/me@x").strip() == "second"
    got = client.store("https://new.example:8443/", "you", "third", uuid=entry["uuid"])
    assert 'for https://new.example:8443, and the user "you"' in questions()[-1], questions()[-1]
    assert client.logins("https://new.example:8443/", "once")["entries"][0]["login"] == "you"
    # What was refused is not there; another site changes nothing; the earlier version stays.
    assert client.store("https://new.example:8443/", "x", "y", "no") == DENIED
    assert client.store("https://evil.test/", "me", "z", uuid=entry["uuid"]) == UNKNOWN
    assert client.store("http://new.example:8443/", "me", "z", uuid=entry["uuid"]) == UNKNOWN
    assert client.store("https://new.example:8443/", "m", "z", uuid="0" * 32) == UNKNOWN
    assert client.store("https://new.example:8443/", "a\nb", "z") == UNREADABLE
    assert vault("get", "new.example/me@x").strip() == "third"
    vault("restore", "new.example/me@x")
    assert vault("get", "new.example/me@x").strip() == "second"
    # An empty password takes no secret away.
    assert client.store("https://new.example:8443/", "me@x", "", uuid=entry["uuid"]) == UNREADABLE
    assert vault("get", "new.example/me@x").strip() == "second"
    # What a page chooses pushes neither the item nor the site out of sight.
    assert client.store(
        "https://new.example:8443/", 'x" for https://other.example' + "y" * 3000, "z", "no",
        uuid=entry["uuid"]) == DENIED
    shown = questions()[-1]
    assert "in 'new.example/me@x' for https://new.example:8443, and the user" in shown, shown
    assert "y" * 201 not in shown and 'x" for' not in shown, shown
    # A name that is taken is another item's.
    add("taken.example/me", "https://other.example", secret="kept")
    assert client.store("https://taken.example/", "me", "mine")["success"] == "true"
    assert vault("get", "taken.example/me").strip() == "kept"
    assert vault("get", "taken.example/me~2").strip() == "mine"
    # A user is no folder, and nothing leads up.
    assert client.store("https://odd.example/", "../../x/y", "odd")["success"] == "true"
    names = vault("list").splitlines()
    assert any(name.startswith("odd.example/") and name.count("/") == 1 for name in names), names
    # The user is written where it was read.
    add("mail", "https://mail.example", user="", fields=[("Username", "old")])
    entry = client.logins("https://mail.example/", "once")["entries"][0]
    assert entry["login"] == "old", entry
    assert client.store(
        "https://mail.example/", "new", "p", uuid=entry["uuid"])["success"] == "true"
    assert vault("get", "mail", "--field", "Username").strip() == "new"
    vault("get", "mail", "--field", "user", status=1)
    # What another program keeps, or finds by its user, is left as it is.
    for name, more, stored in (
        ("git.example/me", ("--attribute", "client=git"), "git.example/me~2"),
        ("shop.example/me", (), "shop.example/you"),
    ):
        host, user = name.split("/")[0], stored.split("/")[1].split("~")[0]
        vault("set", name, "--stdin", "--no-session", "--attribute", f"server={host}",
              "--attribute", "protocol=https", "--attribute", "username=me", *more, text="theirs")
        entry = client.logins(f"https://{host}/", "once")["entries"][0]
        got = client.store(f"https://{host}/", user, "mine", uuid=entry["uuid"])
        assert got["success"] == "true" and "a new login" in questions()[-1], (name, questions()[-1])
        assert vault("get", name).strip() == "theirs", name
        assert vault("get", stored).strip() == "mine", stored
    uses = [use for use in log() if use["verb"] == "browser store"]
    assert len(uses) >= 5 and uses[0]["decidedBy"], uses
    client.host.end()


def test_folders():
    add("work/bank/login", "https://bank.example")
    client = connected()
    groups = client.ask({"action": "get-database-groups"})["groups"]["groups"]
    root = groups[0]
    names = {child["name"]: child for child in root["children"]}
    assert "work" in names and names["work"]["children"][0]["name"] == "bank", groups
    uuid = names["work"]["children"][0]["uuid"]
    client.store("https://two.example/", "me", "x", group="bank", groupUuid=uuid)
    assert vault("get", "work/bank/two.example/me").strip() == "x"
    made = client.ask({"action": "create-new-group", "groupName": "private/sites"})
    assert made["name"] == "sites" and len(made["uuid"]) == 32, made
    client.store("https://three.example/", "me", "y", group="sites", groupUuid=made["uuid"])
    assert vault("get", "private/sites/three.example/me").strip() == "y"
    # A folder that nobody knows is not the one of all, which has an id of its own.
    assert client.store("https://four.example/", "me", "z", groupUuid="0" * 32) == NO_GROUP
    assert client.store("https://four.example/", "me", "z", groupUuid=root["uuid"])[
        "success"] == "true"
    assert vault("get", "four.example/me").strip() == "z"
    for name in ("", "a//b", "/x", "x" * 5000, "a\nb"):
        assert client.ask({"action": "create-new-group", "groupName": name}) == NO_GROUP, name
    client.host.end()


def test_locking():
    """A lock is heard at once, and ends what waits; what was shown before counts no more."""
    add("bank", "https://bank.example")
    client = connected()
    assert client.logins("https://bank.example/", "run")["count"] == "1"
    vault("lock")
    client.host.wait_for("database-locked")
    assert client.ask({"action": "get-databasehash"}) == LOCKED
    assert client.logins("https://bank.example/") == LOCKED
    assert client.ask({"action": "generate-password"}) == LOCKED
    status, errors = client.host.end()
    assert status == 0, errors
    client.host = Host()
    client.change_keys()
    # The extension's own button.
    assert client.ask({"action": "lock-database"}) == ASSOCIATION
    client.ask({"action": "test-associate", "id": client.name, "key": client.identity})
    assert client.ask({"action": "lock-database"}) == LOCKED
    client.host.wait_for("database-locked")
    assert client.ask({"action": "get-databasehash"}) == LOCKED
    client.host.end()
    # While a question waits.
    client.host = Host()
    client.change_keys()
    answer_with("wait")
    nonce = client.send({"action": "get-logins", "url": "https://bank.example/",
                         "keys": client.keys()})
    client.host.send({"action": "x"})
    assert client.host.next()["errorCode"] == NO_KEY
    vault("lock")
    assert client.open(client.host.next(), nonce) == LOCKED
    client.host.wait_for("database-locked")
    client.host.end()


def test_session():
    """A session that opens the vault is told, and one that ends ends it here, too."""
    environment = {k: v for k, v in os.environ.items() if k != "VAULT_KEY_FILE"}
    add("bank", "https://bank.example")
    vault("lock")
    host = Host(environment=environment)
    client = Client(host)
    assert client.ask({"action": "get-databasehash"}) == LOCKED
    assert client.associate() == LOCKED
    vault("unlock")
    host.wait_for("database-unlocked")
    assert len(client.ask({"action": "get-databasehash"})["hash"]) == 64
    client.associate()
    assert client.logins("https://bank.example/", "run")["count"] == "1"
    vault("lock")
    host.wait_for("database-locked")
    assert client.ask({"action": "get-databasehash"}) == LOCKED
    vault("unlock", "--for", "3s")
    host.wait_for("database-unlocked")
    assert client.ask({"action": "lock-database"}) == ASSOCIATION, "a lock forgets who was there"
    host.wait_for("database-locked")
    host.end()
    # A session that runs out is a lock, too: the key file opens nothing after it.
    vault("unlock", "--for", "2s")
    host = Host()
    client = Client(host)
    assert len(client.ask({"action": "get-databasehash"})["hash"]) == 64
    host.wait_for("database-locked")
    assert client.ask({"action": "get-databasehash"}) == LOCKED
    vault("lock")
    assert client.ask({"action": "get-databasehash"}) == LOCKED
    host.end()


# MARK: What no extension does


def ends(data, arguments=FIREFOX):
    """Whether a host ends with an error after some bytes, and says nothing else."""
    host = Host(arguments)
    try:
        host.write(data)
    except BrokenPipeError:
        pass
    host.process.wait(120)
    rest = host.process.stdout.read()
    errors = host.process.stderr.read().decode()
    assert not rest and CANARY not in errors, rest
    return host.process.returncode == 69 and "error:" in errors


def test_lengths():
    for length in (0, LIMIT + 1, 1 << 31, (1 << 32) - 1):
        assert ends(struct.pack("=I", length) + b"{}"), length
    # In another order than the machine's.
    assert ends(struct.pack(">I", 2) + b"{}")
    # A length that nothing follows holds nobody up, and costs no memory.
    host = Host()
    host.write(struct.pack("=I", LIMIT) + b"{")
    other = connected()
    with open(f"/proc/{host.process.pid}/status") as status:
        size = [line for line in status if line.startswith("VmRSS")][0]
    assert int(size.split()[1]) < 64 << 10, size
    status, errors = host.end()
    assert status == 0, errors
    other.host.end()
    # Byte by byte, and several at once.
    host = Host()
    client = Client(host)
    nonces, data = [], b""
    for _ in range(3):
        nonce = os.urandom(24)
        inner = json.dumps({"action": "get-databasehash"}).encode()
        message = json.dumps({
            "action": "get-databasehash", "nonce": b64(nonce), "clientID": client.id,
            "message": b64(box(inner, nonce, client.server, client.secret))}).encode()
        nonces.append(nonce)
        data += struct.pack("=I", len(message)) + message
    for byte in data[:600]:
        host.write(bytes([byte]))
    host.write(data[600:])
    for nonce in nonces:
        assert len(client.open(host.next(), nonce)["hash"]) == 64
    # A message of the largest size that is none.
    host.send(b"[" * LIMIT)
    assert host.next()["errorCode"] == EMPTY
    host.send(b'"' + b"x" * (LIMIT - 2) + b'"')
    assert host.next()["errorCode"] == EMPTY
    host.end()


def test_junk():
    host = Host()
    for text in (b"x", b"{", b"[]", b"null", b'"x"', b"{}x", b"\xff\xfe", b'{"action":"\xff"}',
                 b'{"action":"\\ud800"}', b"\0", b'{"a":1,}'):
        host.send(text)
        answer = host.next()
        assert answer["errorCode"] == EMPTY and answer["action"] == "", (text, answer)
    for message in ({}, {"action": 1}, {"action": None}, {"action": "x" * 1000},
                    {"action": "get-logins"}, {"action": "get-logins", "clientID": 7}):
        host.send(message)
        assert host.next()["errorCode"] == NO_KEY, message
    bad = b64(bytes(32))
    for message in (
        {}, {"publicKey": "x"}, {"publicKey": b64(b"x" * 31)}, {"publicKey": b64(b"x" * 33)},
        {"publicKey": bad, "nonce": b64(b"n" * 23)}, {"publicKey": bad, "nonce": 4},
        {"publicKey": bad, "nonce": b64(b"n" * 24)},
        {"publicKey": bad, "nonce": b64(b"n" * 24), "clientID": "x" * 1000},
    ):
        host.send({"action": "change-public-keys", **message})
        assert host.next()["errorCode"] == NO_KEY, message
    # A key of small order, to which everybody knows the shared secret.
    for key in (bytes(32), bytes([1]) + bytes(31)):
        host.send({"action": "change-public-keys", "publicKey": b64(key),
                   "nonce": b64(b"n" * 24), "clientID": "c"})
        assert host.next()["errorCode"] == KEY_CHANGE
    client = Client(host)
    for inner in (b"x", b"[]", b"\xff", b"{", b"{}" * 2):
        nonce = os.urandom(24)
        host.send({"action": "get-logins", "nonce": b64(nonce), "clientID": client.id,
                   "message": b64(box(inner, nonce, client.server, client.secret))})
        assert host.next()["errorCode"] == UNREADABLE, inner
    status, errors = host.end()
    assert status == 0 and not errors, errors


def test_secrets():
    """Wrong keys, a nonce that comes again, another's client id, an action that was not sealed."""
    add("bank", "https://bank.example")
    client = connected()
    host, inner = client.host, {"action": "get-databasehash"}
    nonce = client.send(inner)
    assert len(client.open(host.next(), nonce)["hash"]) == 64
    for again in (nonce, following(nonce), (int.from_bytes(nonce, "little") - 1).to_bytes(
            24, "little")):
        client.send(inner, nonce=again)
        assert host.next()["errorCode"] == UNREADABLE
    # Sealed by whoever does not have the key.
    stranger = Client(host)
    stranger.id = client.id
    assert stranger.ask(inner) == UNREADABLE
    stranger.id = b64(os.urandom(24))
    assert stranger.ask(inner) == NO_KEY
    # Sealed for one thing, sent as another.
    client.send({"action": "get-databasehash"}, action="lock-database")
    assert host.next()["errorCode"] == UNSUPPORTED
    client.send({"x": 1}, action="lock-database")
    assert host.next()["errorCode"] == UNSUPPORTED
    # A changed byte, a part, nothing.
    sealed = bytearray(box(json.dumps(inner).encode(), bytes(24), client.server, client.secret))
    sealed[-1] ^= 1
    for message in (b64(bytes(sealed)), b64(bytes(sealed[:15])), "", "@", None, 5):
        host.send({"action": "get-databasehash", "message": message, "nonce": b64(bytes(24)),
                   "clientID": client.id})
        assert host.next()["errorCode"] == UNREADABLE, message
    for bad in (b64(bytes(23)), b64(bytes(25)), "", 5):
        host.send({"action": "get-databasehash", "message": b64(bytes(sealed)), "nonce": bad,
                   "clientID": client.id})
        assert host.next()["errorCode"] == UNREADABLE, bad
    assert client.logins("https://bank.example/", "once")["count"] == "1"
    # New keys under an old id are a new beginning.
    client.public, client.secret = keypair()
    client.change_keys()
    assert client.ask({"action": "generate-password"}) == ASSOCIATION
    host.end()


def test_association():
    """Nothing is given, stored or told before a person has said yes, nor to another program."""
    add("bank", "https://bank.example")
    host = Host()
    client = Client(host)
    for word in ("not now", "refused", "certainly"):
        assert client.associate(word) == DENIED, word
    # A key that has not sealed this.
    assert client.associate("once", key=b64(keypair()[0])) == ASSOCIATION
    count = len(questions())
    for key in ("", "x", b64(bytes(31)), None, 7):
        assert client.ask({
            "action": "associate", "key": b64(client.public), "idKey": key}) == ASSOCIATION
    client.name, client.identity = "browser/python3", b64(keypair()[0])
    assert client.logins("https://bank.example/", "once") == ASSOCIATION
    for inner in (
        {"action": "generate-password"}, {"action": "get-database-groups"},
        {"action": "create-new-group", "groupName": "x"}, {"action": "lock-database"},
        {"action": "get-totp", "uuid": "0" * 32},
        {"action": "set-login", "url": "https://a.example/", "login": "a", "password": "b"},
        {"action": "get-logins", "url": "https://bank.example/"},
        {"action": "get-logins", "url": "https://bank.example/", "keys": {}},
        {"action": "get-logins", "url": "https://bank.example/", "keys": [1, None, {}] * 100},
    ):
        assert client.ask(inner) == ASSOCIATION, inner
    assert len(questions()) == count and json.loads(vault("browser", "list", "--json"))[
        "browsers"] == []
    client.associate()
    right = (client.name, client.identity)
    # The name without the key, and the key by another name.
    client.identity = b64(keypair()[0])
    assert client.logins("https://bank.example/", "once") == ASSOCIATION
    client.name, client.identity = "bank", b64(CANARY.encode().ljust(32, b"x"))
    assert client.logins("https://bank.example/", "once") == ASSOCIATION
    client.name, client.identity = right
    assert client.logins("https://bank.example/", "once")["count"] == "1"
    host.end()
    # The same key shown by another executable is another browser's: a copy of this interpreter.
    copy = f"{HOME}/other-browser"
    with open("/proc/self/exe", "rb") as source, open(copy, "wb") as target:
        target.write(source.read())
    os.chmod(copy, 0o700)
    run = subprocess.run(
        [copy, __file__, "stranger", *right], capture_output=True, text=True,
        env={**os.environ, "PYTHONHOME": sys.base_prefix})
    assert run.returncode == 0, run.stderr
    # Removed, it gets nothing more, also in a browser that runs.
    client.host = Host()
    client.change_keys()
    test = {"action": "test-associate", "id": right[0], "key": right[1]}
    assert client.ask(test)["id"] == right[0]
    vault("browser", "remove", right[0])
    assert client.logins("https://bank.example/", "once") == ASSOCIATION
    assert client.ask({"action": "generate-password"}) == ASSOCIATION
    assert client.ask(test) == ASSOCIATION
    client.host.end()


def test_stranger():
    client = Client(Host())
    client.name, client.identity = sys.argv[2:4]
    assert client.ask({
        "action": "test-associate", "id": client.name, "key": client.identity}) == ASSOCIATION
    assert client.logins("https://bank.example/", "once") == ASSOCIATION
    client.host.end()


def test_sites():
    """A site gets its own logins, and another's by no address that looks like it."""
    add("bank", "https://bank.example")
    add("router", "http://router.example:8080")
    vault("set", "git", "--stdin", "--no-session", "--attribute", "server=git.example",
          "--attribute", "protocol=https", "--attribute", "path=team",
          "--attribute", "account=dev", text="git-secret")
    add("reference", "https://evil.test", user="{REF:U@I:bank}", secret="{REF:P@I:bank}")
    add("reference/url", "{REF:A@I:bank}", secret="unused")
    for kind in ("note", "ssh-key", "certificate"):
        add(f"other/{kind}", "https://bank.example", fields=())
        vault("set", f"other/{kind}", "--stdin", "--no-session", "--kind", kind, text="not this")
    client = connected()
    count = len(questions())
    for url in (
        "http://bank.example/", "https://bank.example.evil.test/", "https://www.bank.example/",
        "https://bank.example@evil2.test/", "https://evil2.test/?https://bank.example/",
        "https://evil2.test/#bank.example", "https://xn--bnk-6cd.example/",
        "https://bank.example.:443/x", "https://router.example:8080/",
        "http://router.example/", "https://git.example/", "https://git.example/teams",
        "https://BANK.example.com/", "https://127.0.0.1/",
    ):
        got = client.logins(url, "once")
        assert got in (NO_LOGINS, NO_ADDRESS), (url, got)
    for url in ("", "bank.example", "file:///bank.example", "https://", "https://b\u0430nk.example/",
                "https://bank.example\\@evil.test/", "javascript:alert(1)", "about:blank",
                "https://bank.example/" + "x" * 9000, "https://bank.example/a/../b"):
        assert client.logins(url, "once") == NO_ADDRESS, url
    for inner in ({"url": 5}, {"url": None}, {}):
        got = client.ask({"action": "get-logins", "keys": client.keys(), **inner})
        assert got == NO_ADDRESS, inner
    assert len(questions()) == count, "nobody is asked about what does not match"
    assert client.logins("https://BANK.example/x", "once")["count"] == "1"
    assert client.logins("http://router.example:8080/x", "once")["count"] == "1"
    assert "not encrypted" in questions()[-1]
    got = client.logins("https://git.example/team/x", "once")["entries"][0]
    assert got["login"] == "dev" and got["password"] == "git-secret", got
    # What looks like a reference is text.
    got = client.logins("https://evil.test/", "once")["entries"][0]
    assert got["password"] == "{REF:P@I:bank}" and got["login"] == "{REF:U@I:bank}", got
    # A name and a user that would rewrite the question do not.
    add("evil\u202e", "https://evil3.test", user="x\u001b[2J")
    client.logins("https://evil3.test/", "no")
    assert "\u202e" not in questions()[-1] and "\u001b" not in questions()[-1]
    client.host.end()


def test_flood():
    """Requests of a page that asks and asks are one question, and others are answered meanwhile."""
    add("bank", "https://bank.example")
    client = connected()
    host = client.host
    answer_with("wait")
    before = len(questions())
    nonces = {}
    for _ in range(200):
        nonce = client.send({"action": "get-logins", "url": "https://bank.example/",
                             "keys": client.keys()})
        nonces[b64(following(nonce))] = nonce
    denied = [host.next() for _ in range(200 - 16)]
    assert all(answer["errorCode"] == DENIED for answer in denied)
    nonce = client.send({"action": "get-databasehash"})
    assert len(client.open(host.next(), nonce)["hash"]) == 64
    while len(questions()) == before:
        time.sleep(0.01)
    assert len(questions()) == before + 1
    answer_with("run")
    for _ in range(16):
        answer = host.next()
        assert client.open(answer, nonces[answer["nonce"]])["count"] == "1"
    # Hundreds of keys, and answers that nobody reads.
    for _ in range(300):
        client.change_keys()
    for _ in range(20000):
        host.write(struct.pack("=I", 2) + b"{}")
        if select.select([host.process.stdout], [], [], 0)[0]:
            assert host.next()["errorCode"] == NO_KEY
    with open(f"/proc/{host.process.pid}/status") as status:
        size = [line for line in status if line.startswith("VmHWM")][0]
    assert int(size.split()[1]) < 96 << 10, size
    host.process.kill()
    host.process.wait()


def test_profiles():
    """Two profiles at once: each with its key, and what one was allowed the other is asked about."""
    add("bank", "https://bank.example")
    one, two = connected(), connected()
    assert one.name != two.name, one.name
    names = [b["name"] for b in json.loads(vault("browser", "list", "--json"))["browsers"]]
    assert sorted(names) == sorted([one.name, two.name]), names
    assert one.logins("https://bank.example/", "run")["count"] == "1"
    assert two.logins("https://bank.example/", "refused") == DENIED
    # Each by its own key alone.
    one_key, two.identity = two.identity, one.identity
    assert two.logins("https://bank.example/", "once") == ASSOCIATION
    two.identity = one_key
    failures = []

    def many(client):
        try:
            for number in range(20):
                client.store(f"https://{number}.example/", client.name[-8:], "x" * 20)
        except BaseException as error:
            failures.append(repr(error))

    answer_with("once")
    threads = [threading.Thread(target=many, args=(client,)) for client in (one, two)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
    assert not failures, failures
    stored = [name for name in vault("list").splitlines() if ".example/" in name]
    assert len(stored) == 40, len(stored)
    vault("browser", "remove", one.name)
    assert one.logins("https://bank.example/") == ASSOCIATION
    assert one.ask({"action": "generate-password"}) == ASSOCIATION
    assert two.logins("https://bank.example/", "once")["count"] == "1"
    one.host.end()
    two.host.end()


def test_nobody():
    """Where nobody can be asked, and where nobody answers, the answer is no."""
    environment = {k: v for k, v in os.environ.items()
                   if k not in ("VAULT_ASKPASS", "SSH_ASKPASS", "DBUS_SESSION_BUS_ADDRESS")}
    client = Client(Host(environment=environment))
    assert client.associate() == DENIED
    client.host.end()
    # The browser goes while a question is open: nothing stays.
    host = Host()
    client = Client(host)
    answer_with("wait")
    client.send({"action": "associate", "key": b64(client.public), "idKey": b64(keypair()[0])})
    while not questions():
        time.sleep(0.01)
    status, errors = host.end()
    assert status == 0, errors
    answer_with("once")
    assert json.loads(vault("browser", "list", "--json"))["browsers"] == []
    # For another extension, and by hand.
    for arguments in ([], ["chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/"],
                      ["/x.json", "evil@example.org"]):
        assert ends(b"", arguments), arguments
    # A signal ends it; nothing of the vault is left in the open.
    host = Host()
    Client(host)
    host.process.send_signal(signal.SIGTERM)
    assert host.process.wait(120) == 0


globals()[f"test_{sys.argv[1]}"]()
