"""What a served keyring does, seen by a client of its own. The first argument names the test."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time

import dbus_client
from dbus_client import COLLECTION, ROOT, SECRET, Client, error

VAULT = os.environ["TEST_VAULT"]


def vault(*words, text=""):
    """The command itself, with the key that this process was given by the test."""
    environment = dict(os.environ, VAULT_KEY_FILE=os.environ["TEST_KEY"])
    return subprocess.run([VAULT, *words], input=text, text=True, check=True, capture_output=True, env=environment).stdout


def methods():
    """Every method, property and error, in both byte orders."""
    for order in "<>":
        client = Client(order)
        session = client.plain()
        wanted = {"service": "svc", "username": "me"}
        path = client.store(session, wanted, b"one", "A label")
        assert path.startswith(COLLECTION + "/"), path
        assert client.secret(session, path) == b"one"
        assert client.service("SearchItems", "a{ss}", wanted) == ([path], [])
        assert client.collection("SearchItems", "a{ss}", {"service": "svc"}) == [path]
        assert client.collection("SearchItems", "a{ss}", {"service": "other"}) == []
        # Only equal attributes are replaced.
        assert client.store(session, wanted, b"two") == path
        assert client.store(session, {**wanted, "more": "x"}, b"three") != path
        assert client.store(session, wanted, b"four", replace=False) != path
        assert len(client.collection("SearchItems", "a{ss}", wanted)) == 3
        for found in client.collection("SearchItems", "a{ss}", wanted):
            if found != path:
                assert client.item(found, "Delete") == "/"
        secrets = client.service("GetSecrets", "aoo", [path, COLLECTION + "/none"], session)
        assert {key: value[2] for key, value in secrets.items()} == {path: b"two"}
        client.item(path, "SetSecret", "(oayays)", (session, b"", b"\0\xff", "application/octet-stream"))
        assert client.item(path, "GetSecret", "o", session)[2:] == (b"\0\xff", "application/octet-stream")
        client.set(path, "Item", "Label", "s", "Another")
        assert client.property(path, "Item", "Label") == "Another"
        client.set(path, "Item", "Attributes", "a{ss}", {"a": "b"})
        assert client.property(path, "Item", "Attributes") == {"a": "b"}
        assert client.property(path, "Item", "Locked") == 0
        assert client.property(path, "Item", "Created") > 0
        assert client.property(path, "Item", "Modified") > 0
        assert client.property(path, "Item", "Type") == "org.freedesktop.Secret.Generic"
        assert path in client.property(COLLECTION, "Collection", "Items")
        assert client.property(COLLECTION, "Collection", "Label") == "Login"
        assert client.property(ROOT, "Service", "Collections") == [COLLECTION, SESSION]
        assert client.service("ReadAlias", "s", "default") == COLLECTION
        assert client.service("ReadAlias", "s", "none") == "/"
        alias = path.replace("collection/login", "aliases/default")
        assert client.secret(session, alias) == b"\0\xff"
        assert client.service("Unlock", "ao", [path, COLLECTION]) == ([path, COLLECTION], "/")
        assert client.service("Lock", "ao", [COLLECTION + "/none"]) == ([], "/")
        assert client.property(COLLECTION, "Collection", "Locked") == 0
        # Errors.
        other = Client(order)
        assert error(lambda: other.secret(session, path)) == SECRET + "Error.NoSession"
        assert error(lambda: client.secret(ROOT + "/session/none", path)) == SECRET + "Error.NoSession"
        assert error(lambda: client.secret(session, COLLECTION + "/none")) == SECRET + "Error.NoSuchObject"
        names = "org.freedesktop.DBus.Error."
        assert error(lambda: client.service("OpenSession", "sv", "rot13", ("s", ""))) == names + "NotSupported"
        assert error(lambda: client.service("Nothing")) == names + "UnknownMethod"
        assert error(lambda: client.service("SearchItems", "s", "x")) == names + "UnknownMethod"
        assert error(lambda: client.property(path, "Item", "None")) == names + "UnknownProperty"
        assert error(lambda: client.set(path, "Item", "Locked", "b", 1)) == names + "PropertyReadOnly"
        assert error(lambda: client.set(path, "Item", "Label", "u", 1)) == names + "InvalidArgs"
        assert error(lambda: client.store(session, {"vault:label": "x"}, b"")) == names + "InvalidArgs"
        assert error(lambda: client.collection("Delete")) == names + "AccessDenied"
        assert error(lambda: client.service("CreateCollection", "a{sv}s", {}, "x")) == names + "NotSupported"
        client.call(session, SECRET + "Session", "Close")
        assert error(lambda: client.secret(session, path)) == SECRET + "Error.NoSession"
        assert client.item(path, "Delete") == "/"
        assert client.collection("SearchItems", "a{ss}", {"a": "b"}) == []


def bus():
    """The bus itself: names, owners, credentials, signals between clients, forged replies."""
    one, two = Client("<"), Client(">")
    name = "org.example.Test"
    two.bus("AddMatch", "s", f"type='signal',member='NameOwnerChanged',arg0='{name}'")
    assert one.bus("RequestName", "su", name, 4) == 1
    assert two.bus("RequestName", "su", name, 4) == 3
    assert two.bus("GetNameOwner", "s", name) == one.name
    assert ("/org/freedesktop/DBus", "NameOwnerChanged", (name, "", one.name)) in two.signals
    assert two.bus("NameHasOwner", "s", "org.example.None") == 0
    assert error(lambda: two.bus("GetNameOwner", "s", "a.b")) == "org.freedesktop.DBus.Error.NameHasNoOwner"
    assert one.bus("RequestName", "su", "org.freedesktop.secrets", 3) == 3
    assert one.bus("GetConnectionUnixUser", "s", two.name) == os.getuid()
    assert one.bus("GetConnectionUnixProcessID", "s", two.name) == os.getpid()
    assert one.bus("GetConnectionUnixProcessID", "s", "org.freedesktop.secrets") != os.getpid()
    assert one.bus("GetConnectionCredentials", "s", two.name)["UnixUserID"] == os.getuid()
    assert {one.name, two.name, name, "org.freedesktop.secrets"} <= set(one.bus("ListNames"))
    assert len(one.bus("GetId")) == 32
    assert "<node" in one.call(ROOT, "org.freedesktop.DBus.Introspectable", "Introspect")
    assert one.call("/", "org.freedesktop.DBus.Peer", "Ping") == ()
    # A call from one client to the other, with its reply in the other byte order.
    two.socket.sendall(two.message("/x", "org.example.I", "M", "s", ("hello",), destination=name))
    kind, fields, values = one.read()
    while kind != 1:
        kind, fields, values = one.read()
    assert (fields[7], values) == (two.name, ("hello",))
    assert one.bus("ReleaseName", "s", name) == 1
    assert error(lambda: one.bus("StartServiceByName", "su", name, 0)) == "org.freedesktop.DBus.Error.ServiceUnknown"
    assert one.bus("StartServiceByName", "su", "org.freedesktop.secrets", 0) == 2
    # A client that leaves gives its names and waiting calls up.
    third = Client()
    third.bus("RequestName", "su", "org.example.Third", 4)
    two.socket.sendall(two.message("/x", "org.example.I", "M", destination="org.example.Third"))
    third.socket.close()
    assert error(two.reply) == "org.freedesktop.DBus.Error.NoReply"


def news():
    """What `vault set` and `vault remove` do is seen at once, with signals."""
    client = Client()
    client.bus("AddMatch", "s", f"type='signal',path='{COLLECTION}'")
    # The file is written by another process: nothing is asked meanwhile.
    vault("set", "fresh", "--stdin", "--no-session", text="new")
    seen = []
    while "PropertiesChanged" not in seen:
        kind, fields, values = client.read()
        if kind == 4:
            seen.append(fields[3])
            if fields[3] == "ItemCreated":
                path = values[0]
    assert seen == ["ItemCreated", "PropertiesChanged"], seen
    session = client.plain()
    assert client.secret(session, path) == b"new"
    assert client.collection("SearchItems", "a{ss}", {"service": "vault", "username": "fresh"}) == [path]
    vault("set", "fresh", "--stdin", "--no-session", text="newer")
    assert client.secret(session, path) == b"newer"
    vault("remove", "fresh", "--no-session")
    assert error(lambda: client.secret(session, path)) == SECRET + "Error.NoSuchObject"
    while "ItemDeleted" not in [signal[1] for signal in client.signals]:
        kind, fields, values = client.read()
        client.signals.append((fields[1], fields[3], values))


def scoped_news():
    """With --only 'gh-*': items come and go by their names, and others' changes are nobody's business."""
    client = Client()
    session = client.plain()
    client.bus("AddMatch", "s", f"type='signal',path='{COLLECTION}'")
    vault("set", "hidden", "--stdin", "--no-session", text="mine")
    vault("set", "hidden", "--stdin", "--no-session", text="mine still")
    vault("set", "gh-one", "--stdin", "--no-session", text="one")
    path = until(client, "ItemCreated")[0]
    assert until(client, "PropertiesChanged")[1] == {"Items": [path]}
    assert all(signal[0] != COLLECTION for signal in client.signals), client.signals
    vault("rename", "gh-one", "elsewhere", "--no-session")
    assert until(client, "ItemDeleted") == (path,)
    assert until(client, "PropertiesChanged")[1] == {"Items": []}
    assert error(lambda: client.secret(session, path)) == SECRET + "Error.NoSuchObject"
    vault("rename", "hidden", "gh-two", "--no-session")
    two = until(client, "ItemCreated")[0]
    assert client.secret(session, two) == b"mine still"
    # Many at once, before and behind it in the order of names.
    rows = "name,password\n" + "".join(f"gh-a{number},a\nother{number},b\ngh-z{number},z\n" for number in range(60))
    vault("import", "csv", "-", "--no-session", text=rows)
    items = client.property(COLLECTION, "Collection", "Items")
    assert len(items) == len(set(items)) == 121, len(items)
    labels = [client.property(item, "Item", "Label") for item in items]
    assert labels == sorted(labels) and "gh-two" in labels, labels
    created = [signal for signal in client.signals if signal[1] == "ItemCreated"]
    assert {signal[2][0] for signal in created} == set(items) - {two}
    # And what comes and goes afterwards, while all are listed.
    vault("set", "gh-m", "--stdin", "--no-session", text="m")
    vault("remove", "gh-a7", "--no-session")
    labels = ["gh-m" if label == "gh-a7" else label for label in labels]
    after = client.property(COLLECTION, "Collection", "Items")
    assert [client.property(item, "Item", "Label") for item in after] == sorted(labels)


LOCKED = SECRET + "Error.IsLocked"


SESSION = ROOT + "/collection/session"


def memory_items():
    """The collection `session`, which is in memory alone and is never locked."""
    client = Client()
    session = client.plain()
    client.bus("AddMatch", "s", f"type='signal',path='{SESSION}'")

    def create(attributes, secret, replace=True):
        properties = {SECRET + "Item.Label": ("s", "l"), SECRET + "Item.Attributes": ("a{ss}", attributes)}
        arguments = (properties, (session, b"", secret, "text/plain"), replace)
        return client.call(SESSION, SECRET + "Collection", "CreateItem", "a{sv}(oayays)b", arguments)[0]

    assert client.service("ReadAlias", "s", "session") == SESSION
    path = create({"service": "m"}, b"one")
    assert path.startswith(SESSION + "/")
    assert until(client, "ItemCreated") == (path,)
    assert until(client, "PropertiesChanged")[1] == {"Items": [path]}
    assert create({"service": "m"}, b"two") == path
    assert create({"service": "m"}, b"three", replace=False) != path
    assert client.secret(session, path) == b"two"
    assert path in client.service("SearchItems", "a{ss}", {"service": "m"})[0]
    assert client.service("GetSecrets", "aoo", [path], session)[path][2] == b"two"
    client.item(path, "SetSecret", "(oayays)", (session, b"", b"four", "text/plain"))
    client.set(path, "Item", "Label", "s", "Another")
    assert until(client, "ItemChanged") == (path,)
    assert client.property(path, "Item", "Label") == "Another"
    names = "org.freedesktop.DBus.Error."
    assert error(lambda: client.set(path, "Item", "Label", "u", 1)) == names + "InvalidArgs"
    assert error(lambda: client.set(path, "Item", "Created", "t", 1)) == names + "PropertyReadOnly"
    assert error(lambda: client.call(SESSION, SECRET + "Collection", "Delete")) == names + "NotSupported"
    # 16 MiB in all, also by what takes the place of something smaller.
    large = [create({"service": "large", "n": str(n)}, bytes(2 ** 20)) for n in range(15)]
    assert error(lambda: create({"service": "large", "n": "x"}, bytes(2 ** 20))) == names + "LimitsExceeded"
    assert error(
        lambda: client.item(path, "SetSecret", "(oayays)", (session, b"", bytes(2 ** 20), "text/plain"))
    ) == names + "LimitsExceeded"
    for item in large:
        client.item(item, "Delete")
        assert until(client, "ItemDeleted") == (item,)
    # No lock, and no trace in the vault.
    assert client.service("Lock", "ao", [SESSION, path]) == ([], "/")
    client.service("Lock", "ao", [COLLECTION])
    assert client.secret(session, path) == b"four"
    assert client.service("Unlock", "ao", [SESSION]) == ([SESSION], "/")
    assert client.property(COLLECTION, "Collection", "Locked") == 1
    assert "api-token" == vault("list").strip()
    assert client.item(path, "Delete") == "/"
    assert until(client, "ItemDeleted") == (path,)
    assert error(lambda: client.secret(session, path)) == SECRET + "Error.NoSuchObject"


def until(client, member):
    """Waits for a signal; returns its arguments."""
    while member not in [signal[1] for signal in client.signals]:
        kind, fields, values = client.read()
        if kind == 4:
            client.signals.append((fields[1], fields[3], values))
    at = [signal[1] for signal in client.signals].index(member)
    return client.signals.pop(at)[2]


def is_locked(client, session, path):
    """Everything that a locked keyring answers."""
    assert client.property(COLLECTION, "Collection", "Locked") == 1
    assert client.property(path, "Item", "Locked") == 1
    assert client.service("SearchItems", "a{ss}", {"service": "vault", "username": "api-token"}) == ([], [path])
    assert client.service("GetSecrets", "aoo", [path], session) == {}
    for body in [
        lambda: client.secret(session, path),
        lambda: client.store(session, {"service": "x"}, b"x"),
        lambda: client.item(path, "SetSecret", "(oayays)", (session, b"", b"x", "")),
        lambda: client.set(path, "Item", "Label", "s", "x"),
        lambda: client.set(path, "Item", "Attributes", "a{ss}", {}),
    ]:
        assert error(body) == LOCKED


def locks():
    """`vault lock` locks at once, with signals; Unlock opens again where nobody has to be asked."""
    client = Client()
    session = client.plain()
    path = client.collection("SearchItems", "a{ss}", {"service": "vault", "username": "api-token"})[0]
    client.bus("AddMatch", "s", "type='signal',interface='org.freedesktop.DBus.Properties'")
    client.bus("AddMatch", "s", "type='signal',member='CollectionChanged'")
    # Nothing is asked meanwhile: the helper forgets the key by itself.
    vault("lock")
    item, collection = until(client, "PropertiesChanged"), until(client, "PropertiesChanged")
    assert item == (SECRET + "Item", {"Locked": 1}, []), item
    assert collection == (SECRET + "Collection", {"Locked": 1}, []), collection
    assert until(client, "CollectionChanged") == (COLLECTION,)
    is_locked(client, session, path)
    assert client.service("Unlock", "ao", [path, COLLECTION + "/none"]) == ([path], "/")
    assert until(client, "PropertiesChanged")[1] == {"Locked": 0}
    assert client.secret(session, path) == b"s3cr3t"
    assert client.service("Lock", "ao", [path]) == ([path], "/")
    is_locked(client, session, path)
    assert client.service("Unlock", "ao", [COLLECTION]) == ([COLLECTION], "/")
    # What was set while it was locked is there.
    assert client.service("Lock", "ao", [path]) == ([path], "/")
    vault("set", "api-token", "--stdin", "--no-session", text="newer")
    assert client.service("Unlock", "ao", [COLLECTION]) == ([COLLECTION], "/")
    assert client.secret(session, path) == b"newer"


def locks_elsewhere():
    """A lock by who has other variables than the helper, or may write to one folder of the two; and
    one that reaches nobody says so."""
    def lock(**variables):
        environment = dict(os.environ, **{k: v for k, v in variables.items() if v})
        for name in (k for k, v in variables.items() if not v):
            environment.pop(name, None)
        return subprocess.run([VAULT, "lock"], text=True, capture_output=True, env=environment)

    def is_locked_now():
        while until(client, "PropertiesChanged")[1].get("Locked") != 1:
            pass
        while client.property(COLLECTION, "Collection", "Locked") != 1:
            pass
        assert client.service("Unlock", "ao", [COLLECTION]) == ([COLLECTION], "/")

    client = Client()
    client.bus("AddMatch", "s", "type='signal',interface='org.freedesktop.DBus.Properties'")
    other = os.environ["HOME"] + "/other"
    runtime, state = os.environ["XDG_RUNTIME_DIR"], os.environ["HOME"] + "/.local/state/vault"
    for variables in ({"XDG_STATE_HOME": other}, {"XDG_RUNTIME_DIR": None},
                      {"XDG_STATE_HOME": other, "XDG_RUNTIME_DIR": None}):
        done = lock(**variables)
        assert done.returncode == 0 and "locked" in done.stderr, (variables, done)
        is_locked_now()
    if os.geteuid() == 0:
        return
    folders = [runtime + "/vault/serving", state + "/serving"]
    for folder in folders:
        os.chmod(folder, 0o500)
        done = lock()
        os.chmod(folder, 0o700)
        assert done.returncode == 0 and "locked" in done.stderr, (folder, done)
        is_locked_now()
    for folder in folders:
        os.chmod(folder, 0o500)
    done = lock()
    for folder in folders:
        os.chmod(folder, 0o700)
    assert done.returncode == 77 and "kill " in done.stderr, done
    assert client.property(COLLECTION, "Collection", "Locked") == 0
    assert lock().returncode == 0
    is_locked_now()


def shown(client, prompt):
    """Shows a prompt; returns what its signal has."""
    client.call(prompt, SECRET + "Prompt", "Prompt", "s", ("",))
    return until(client, "Completed")


def asks():
    """A prompt that an askpass program answers: rightly, wrongly, late, or never."""
    with open(os.environ["TEST_ANSWER"], "w") as file:
        file.write("no passphrase of this vault\n")
    client, other = Client(), Client()
    session = client.plain()
    path = client.collection("SearchItems", "a{ss}", {"service": "vault", "username": "api-token"})[0]
    client.service("Lock", "ao", [COLLECTION])
    unlocked, prompt = client.service("Unlock", "ao", [path])
    assert unlocked == [] and prompt.startswith(ROOT + "/prompt/"), prompt
    # It is nobody else's.
    assert error(lambda: other.call(prompt, SECRET + "Prompt", "Prompt", "s", ("",))) == SECRET + "Error.NoSuchObject"
    assert shown(client, prompt) == (1, [])
    assert error(lambda: client.call(prompt, SECRET + "Prompt", "Dismiss")) == SECRET + "Error.NoSuchObject"
    is_locked(client, session, path)
    with open(os.environ["TEST_ANSWER"], "w") as file:
        file.write(os.environ["TEST_PASSPHRASE"] + "\n")
    assert shown(client, client.service("Unlock", "ao", [path])[1]) == (0, [path])
    assert client.secret(session, path) == b"s3cr3t"
    # Without an answer: dismissed by its client, or by its client's end; others are served.
    os.remove(os.environ["TEST_ANSWER"])
    for ends in [lambda client, prompt: client.call(prompt, SECRET + "Prompt", "Dismiss"), lambda client, prompt: client.socket.close()]:
        other.service("Lock", "ao", [COLLECTION])
        asking = Client()
        prompt = asking.service("Unlock", "ao", [path])[1]
        asking.call(prompt, SECRET + "Prompt", "Prompt", "s", ("",))
        again = error(lambda: asking.call(prompt, SECRET + "Prompt", "Prompt", "s", ("",)))
        assert again == SECRET + "Error.AlreadyExists"
        assert other.service("SearchItems", "a{ss}", {"service": "vault", "username": "api-token"}) == ([], [path])
        while not os.path.exists(os.environ["TEST_ANSWER"] + ".pid"):
            other.bus("GetId")
        while True:
            with open(os.environ["TEST_ANSWER"] + ".pid") as file:
                text = file.read()
            if text.endswith("\n"):
                break
        ends(asking, prompt)
        while os.path.exists(f"/proc/{int(text)}"):
            other.bus("GetId")
        os.remove(os.environ["TEST_ANSWER"] + ".pid")
        assert other.property(COLLECTION, "Collection", "Locked") == 1
        if asking.socket.fileno() >= 0:
            assert until(asking, "Completed") == (1, [])
    # Deleting what is locked asks first.
    with open(os.environ["TEST_ANSWER"], "w") as file:
        file.write(os.environ["TEST_PASSPHRASE"] + "\n")
    prompt = client.item(path, "Delete")
    assert shown(client, prompt) == (0, "")
    assert client.collection("SearchItems", "a{ss}", {"service": "vault", "username": "api-token"}) == []


DENIED = "org.freedesktop.DBus.Error.AccessDenied"


def answers(*texts):
    """What the askpass program says next; "no" stands for its failure, "wait" for no answer at all."""
    with open(os.environ["TEST_ANSWER"], "w") as file:
        file.writelines(text + "\n" for text in texts)


def questions():
    """What the askpass program was asked since the last look."""
    path = os.environ["TEST_ANSWER"] + ".questions"
    if not os.path.exists(path):
        return []
    with open(path) as file:
        lines = file.read().splitlines()
    os.remove(path)
    return lines


def confirms():
    """`--confirm` with an askpass program: which program wants which item; once, for this run, never."""
    client, other = Client(">"), Client()
    session, others = client.plain(), other.plain()
    wanted = {"service": "vault", "username": "api-token"}
    # Nobody is asked for looking; what is not allowed looks locked.
    path = client.collection("SearchItems", "a{ss}", wanted)[0]
    assert client.service("SearchItems", "a{ss}", wanted) == ([], [path])
    assert client.property(path, "Item", "Locked") == 1
    assert client.property(COLLECTION, "Collection", "Locked") == 0
    assert questions() == []
    answers("no")
    assert error(lambda: client.secret(session, path)) == DENIED
    asked = questions()
    assert len(asked) == 1 and asked[0].startswith("confirm:python3") and f"(process {os.getpid()}" in asked[0], asked
    assert "'api-token'" in asked[0], asked
    # Yes without a word is once.
    answers("")
    assert client.secret(session, path) == b"s3cr3t"
    answers("no")
    assert error(lambda: client.secret(session, path)) == DENIED
    assert len(questions()) == 2
    # In a prompt, as clients ask that look first; the leave is for one use of this client.
    answers("once")
    unlocked, prompt = client.service("Unlock", "ao", [COLLECTION, path])
    assert unlocked == [COLLECTION], unlocked
    assert shown(client, prompt) == (0, [path])
    assert until(client, "PropertiesChanged") == (SECRET + "Item", {"Locked": 0}, [])
    assert client.property(path, "Item", "Locked") == 0
    assert other.property(path, "Item", "Locked") == 1
    assert client.service("SearchItems", "a{ss}", wanted) == ([path], [])
    assert client.service("GetSecrets", "aoo", [path], session)[path][2] == b"s3cr3t"
    assert client.property(path, "Item", "Locked") == 1
    assert len(questions()) == 1
    answers("no")
    assert shown(client, client.service("Unlock", "ao", [path])[1]) == (1, [])
    answers("no")
    assert client.service("GetSecrets", "aoo", [path], session) == {}
    # Changes ask, new items do not.
    questions()
    mine = client.store(session, {"service": "mine"}, b"one")
    assert questions() == []
    for body in [
        lambda: client.store(session, {"service": "mine"}, b"two"),
        lambda: client.item(mine, "SetSecret", "(oayays)", (session, b"", b"two", "")),
        lambda: client.item(mine, "Delete"),
        lambda: client.set(mine, "Item", "Label", "s", "x"),
        lambda: client.set(mine, "Item", "Attributes", "a{ss}", {}),
    ]:
        answers("no")
        assert error(body) == DENIED
        assert len(questions()) == 1
    # A client that leaves in the middle of a question; the others are served meanwhile.
    answers("wait")
    leaving = Client()
    leaving.socket.sendall(leaving.message(path, SECRET + "Item", "GetSecret", "o", (leaving.plain(),)))
    while not questions():
        other.bus("GetId")
    leaving.socket.close()
    answers("once", "once")
    assert client.service("GetSecrets", "aoo", [path, mine], session)[mine][2] == b"one"
    # For this run: for the program, whichever connection it has.
    answers("run")
    assert client.secret(session, path) == b"s3cr3t"
    questions()
    assert other.secret(others, path) == b"s3cr3t"
    assert other.property(path, "Item", "Locked") == 0
    assert questions() == []
    # Never: no second question, whichever way.
    answers("never")
    assert error(lambda: client.secret(session, mine)) == DENIED
    questions()
    assert error(lambda: other.secret(others, mine)) == DENIED
    assert client.service("Unlock", "ao", [mine]) == ([], "/")
    assert questions() == []
    # What was refused is in the log.
    log = json.loads(vault("log", "--json"))
    assert {record["isAllowed"] for record in log["records"] if record["name"] == "api-token"} == {True, False}, log
    # Locked by `vault lock`: the prompt asks for what opens the vault, then for the item.
    vault("lock")
    assert error(lambda: client.secret(session, mine)) == LOCKED


# Another program, on the connection that the one before has left: its number, that of the last call,
# the session and the item.
TAKES_OVER = """
import socket, sys
sys.path.insert(0, sys.argv[1])
from dbus_client import Client, Failure
client = Client.__new__(Client)
client.order, client.signals, client.serial = "<", [], int(sys.argv[3])
client.socket = socket.socket(fileno=int(sys.argv[2]))
client.socket.settimeout(300)
try:
    print(client.secret(sys.argv[4], sys.argv[5]))
except Failure as failure:
    print(failure.name)
"""


def execs():
    """A yes is for the program that was asked about: one that it has run since does not get it."""
    go, asked = os.environ["TEST_ANSWER"] + ".go", os.environ["TEST_ANSWER"] + ".asked"
    client = Client()
    path = client.collection("SearchItems", "a{ss}", {"service": "vault", "username": "api-token"})[0]

    def forked(body):
        for file in (go, asked):
            if os.path.exists(file):
                os.remove(file)
        output, ready = os.pipe()
        child = os.fork()
        if child == 0:
            os.dup2(ready, 1)
            body()
            os._exit(0)
        os.close(ready)
        return child, output

    def wait_for(condition):
        while not condition():
            client.bus("GetId")

    def in_the_middle():
        # A call that waits for the answer, and a program that only copies what comes.
        mine = Client()
        session = mine.plain()
        mine.socket.sendall(mine.message(path, SECRET + "Item", "GetSecret", "o", (session,)))
        while not os.path.exists(asked):
            time.sleep(0.01)
        mine.socket.setblocking(True)
        os.dup2(mine.socket.fileno(), 0)
        os.execv("/bin/cat", ["cat"])

    child, output = forked(in_the_middle)
    own = os.readlink("/proc/self/exe")
    wait_for(lambda: os.readlink(f"/proc/{child}/exe") != own)
    open(go, "w").close()
    said = b""
    while DENIED.encode() not in said:
        part = os.read(output, 4096)
        assert part, said
        said += part
        assert b"s3cr3t" not in said, said
    os.kill(child, 9)
    os.waitpid(child, 0)

    # With a prompt: the leave for one use is not another program's, either. A copy of the interpreter
    # is one.
    other = os.environ["TEST_ANSWER"] + ".python"
    shutil.copy(own, other)

    def after_the_prompt():
        mine = Client()
        session = mine.plain()
        prompt = mine.service("Unlock", "ao", [path])[1]
        open(go, "w").close()
        assert shown(mine, prompt) == (0, [path])
        os.remove(go)
        os.remove(asked)
        os.set_inheritable(mine.socket.fileno(), True)
        words = [other, "-c", TAKES_OVER, os.path.dirname(os.path.abspath(__file__)),
                 str(mine.socket.fileno()), str(mine.serial), session, path]
        os.execve(other, words, dict(os.environ, PYTHONHOME=sys.base_prefix))

    child, output = forked(after_the_prompt)
    # It is asked about anew, by its own name.
    wait_for(lambda: os.path.exists(asked) and os.readlink(f"/proc/{child}/exe") == other)
    with open(os.environ["TEST_ANSWER"], "w") as file:
        file.write("no\n")
    open(go, "w").close()
    said = b""
    while (part := os.read(output, 4096)):
        said += part
    os.waitpid(child, 0)
    assert said.decode().strip() == DENIED, said
    log = [one for one in json.loads(vault("log", "--json"))["records"] if one["name"] == "api-token"]
    assert not any(one["isAllowed"] for one in log), log
    assert "nobody" in {one["decidedBy"] for one in log}, log


def collections():
    """Other vaults as collections."""
    client = Client()
    session = client.plain()
    work = ROOT + "/collection/work"
    client.bus("AddMatch", "s", f"type='signal',path='{work}'")
    assert client.property(ROOT, "Service", "Collections") == [COLLECTION, work, SESSION]
    assert client.property(work, "Collection", "Label") == "work"
    assert client.service("ReadAlias", "s", "default") == COLLECTION
    assert client.service("ReadAlias", "s", "work") == work
    properties = {SECRET + "Item.Label": ("s", "l"), SECRET + "Item.Attributes": ("a{ss}", {"service": "svc"})}
    arguments = (properties, (session, b"", b"at work", "text/plain"), True)
    path = client.call(work, SECRET + "Collection", "CreateItem", "a{sv}(oayays)b", arguments)[0]
    assert path.startswith(work + "/"), path
    assert until(client, "ItemCreated") == (path,)
    mine = client.store(session, {"service": "svc"}, b"at home", label="l")
    assert client.secret(session, path) == b"at work" and client.secret(session, mine) == b"at home"
    assert set(client.service("SearchItems", "a{ss}", {"service": "svc"})[0]) == {path, mine}
    assert client.collection("SearchItems", "a{ss}", {"service": "svc"}) == [mine]
    assert vault("get", "keyring/l", "--vault", "work", "--no-session") == "at work"
    assert vault("get", "keyring/l", "--no-session") == "at home"
    secrets = client.service("GetSecrets", "aoo", [path, mine], session)
    assert {key: value[2] for key, value in secrets.items()} == {path: b"at work", mine: b"at home"}
    # Each has a lock of its own.
    assert client.service("Lock", "ao", [path]) == ([path], "/")
    assert client.property(work, "Collection", "Locked") == 1
    assert client.property(COLLECTION, "Collection", "Locked") == 0
    assert client.service("SearchItems", "a{ss}", {"service": "svc"}) == ([mine], [path])
    assert error(lambda: client.secret(session, path)) == LOCKED
    assert client.secret(session, mine) == b"at home"
    assert client.service("Unlock", "ao", [path, mine]) == ([path, mine], "/")
    assert client.secret(session, path) == b"at work"
    # What is set in the other vault meanwhile is there.
    vault("set", "fresh", "--stdin", "--no-session", "--vault", "work", text="new")
    assert until(client, "ItemCreated")[0].startswith(work + "/")
    # One that cannot be read stops no other: it counts as locked, until its file is back.
    file = os.path.join(os.environ["HOME"], ".local/share/vault/secrets/work.vault")
    broken = [lambda: os.rename(file, file + ".away"), lambda: os.chmod(file, 0o644), lambda: open(file, "wb").close()]
    with open(file, "rb") as whole:
        whole = whole.read()
    for harm in broken:
        harm()
        assert client.secret(session, mine) == b"at home"
        assert client.service("SearchItems", "a{ss}", {"service": "svc"}) == ([mine], [path])
        assert client.store(session, {"service": "other"}, b"x", label="l2").startswith(COLLECTION + "/")
        assert client.property(work, "Collection", "Locked") == 1
        assert error(lambda: client.secret(session, path)).endswith("Failed")
        assert error(lambda: client.service("Unlock", "ao", [path])).endswith("Failed")
        if os.path.exists(file + ".away"):
            os.rename(file + ".away", file)
        with open(file, "wb") as back:
            back.write(whole)
        os.chmod(file, 0o600)
        assert client.secret(session, path) == b"at work"
        assert client.property(work, "Collection", "Locked") == 0
    assert client.item(path, "Delete") == "/"
    assert "fresh\n" == vault("list", "--vault", "work", "--no-session")


def asks_nobody():
    """A prompt where nobody can be asked completes at once."""
    client = Client()
    client.service("Lock", "ao", [COLLECTION])
    assert shown(client, client.service("Unlock", "ao", [COLLECTION])[1]) == (1, [])


def only():
    """Nothing outside of `--only` is listed, found, read, replaced or deleted, whichever call is used."""
    hidden = sys.argv[2]
    path = f"{COLLECTION}/{hidden}"
    client = Client()
    session = client.plain()
    attributes = {"service": "vault", "username": "hidden"}
    assert path not in client.property(COLLECTION, "Collection", "Items")
    assert client.collection("SearchItems", "a{ss}", attributes) == []
    assert client.service("SearchItems", "a{ss}", {}) == (client.property(COLLECTION, "Collection", "Items"), [])
    assert client.service("GetSecrets", "aoo", [path], session) == {}
    assert hidden not in client.call(COLLECTION, "org.freedesktop.DBus.Introspectable", "Introspect")
    for place in [path, path.replace("collection/login", "aliases/default")]:
        for body in [
            lambda: client.secret(session, place),
            lambda: client.item(place, "SetSecret", "(oayays)", (session, b"", b"x", "")),
            lambda: client.item(place, "Delete"),
            lambda: client.property(place, "Item", "Label"),
            lambda: client.set(place, "Item", "Label", "s", "x"),
            lambda: client.call(place, "org.freedesktop.DBus.Introspectable", "Introspect"),
        ]:
            assert error(body) == SECRET + "Error.NoSuchObject"
    assert client.service("Unlock", "ao", [path]) == ([], "/")
    # What is out of scope can neither be made, nor replaced by its attributes, nor moved there.
    denied = "org.freedesktop.DBus.Error.AccessDenied"
    assert error(lambda: client.store(session, {"server": "hidden.example"}, b"mine")) == denied
    inside = client.store(session, {"service": "gh:github.com", "username": "me"}, b"token")
    assert client.secret(session, inside) == b"token"
    assert error(lambda: client.set(inside, "Item", "Attributes", "a{ss}", {"service": "x"})) == denied
    # Nor does a client choose what git, docker, sudo, a command or a browser get.
    for name in ["client", "askpass", "variable", "url"]:
        mine = {"service": "gh:github.com", "username": "me", name: "git"}
        assert error(lambda: client.store(session, mine, b"evil")) == denied
        assert error(lambda: client.set(inside, "Item", "Attributes", "a{ss}", mine)) == denied


def read_only():
    client = Client()
    session = client.plain()
    path = client.collection("SearchItems", "a{ss}", {"service": "vault", "username": "api-token"})[0]
    assert client.secret(session, path) == b"s3cr3t"
    denied = "org.freedesktop.DBus.Error.AccessDenied"
    for body in [
        lambda: client.store(session, {"service": "x"}, b"x"),
        lambda: client.item(path, "SetSecret", "(oayays)", (session, b"", b"x", "")),
        lambda: client.item(path, "Delete"),
        lambda: client.set(path, "Item", "Label", "s", "x"),
        lambda: client.set(path, "Item", "Attributes", "a{ss}", {}),
    ]:
        assert error(body) == denied
    assert client.secret(session, path) == b"s3cr3t"


def crowd():
    """Two hundred clients, and others that flood, never read, send half a message or nonsense."""
    flood, deaf, half, mute = Client(), Client(), Client(), socket.socket(socket.AF_UNIX)
    mute.connect(dbus_client.address())
    call = flood.message(ROOT, SECRET + "Service", "SearchItems", "a{ss}", ({},))
    half.socket.sendall(call[:20])
    for client in [flood, deaf]:
        client.socket.setblocking(False)
        try:
            while True:
                client.socket.send(call * 100)
        except BlockingIOError:
            pass
    for nonsense in [b"\0AUTH EXTERNAL 30\r\n" * 100, b"x", b"\0" + b"A" * 20000, b"\0BEGIN\r\n"]:
        bad = socket.socket(socket.AF_UNIX)
        bad.settimeout(60)
        bad.connect(dbus_client.address())
        bad.sendall(nonsense)
    garbage = Client()
    garbage.socket.sendall(b"\xff" * 64)
    # What is not a message ends the connection; a signal may have come before.
    while garbage.socket.recv(4096):
        pass
    clients = [Client("<>"[number % 2]) for number in range(200)]
    for number, client in enumerate(clients):
        session = client.plain()
        path = client.collection("SearchItems", "a{ss}", {"service": "vault", "username": "api-token"})[0]
        assert client.secret(session, path) == b"s3cr3t", number
    assert len({client.name for client in clients}) == 200
    # The rest of the half message is answered, too.
    half.socket.sendall(call[20:])
    assert half.read()[0] in (2, 4)


def memory():
    """Memory after many calls is that after a few."""
    client = Client()
    session = client.plain()
    helper = client.bus("GetConnectionUnixProcessID", "s", "org.freedesktop.secrets")
    path = client.collection("SearchItems", "a{ss}", {"service": "vault", "username": "api-token"})[0]

    def resident():
        with open(f"/proc/{helper}/statm") as file:
            return int(file.read().split()[1]) * 4096

    def calls(number):
        for _ in range(number):
            assert client.secret(session, path) == b"s3cr3t"
            opened = client.plain()
            client.call(opened, SECRET + "Session", "Close")
            client.collection("SearchItems", "a{ss}", {})

    calls(100)
    before = resident()
    calls(int(sys.argv[2]) // 4)
    after = resident()
    assert after - before < 4 << 20, (before, after)


def heap():
    """After a call the secret is nowhere in the helper's memory that root can read."""
    client = Client()
    session = client.plain()
    helper = client.bus("GetConnectionUnixProcessID", "s", "org.freedesktop.secrets")
    canary = os.urandom(24).hex().encode()
    path = client.store(session, {"service": "canary"}, canary)
    assert client.secret(session, path) == canary
    client.item(path, "SetSecret", "(oayays)", (session, b"", canary, "text/plain"))
    assert client.service("GetSecrets", "aoo", [path], session)[path][2] == canary
    found = scanned = 0
    with open(f"/proc/{helper}/maps") as maps, open(f"/proc/{helper}/mem", "rb") as file:
        for line in maps:
            words = line.split()
            if "r" not in words[1] or (len(words) > 5 and words[5] in ("[vvar]", "[vsyscall]")):
                continue
            start, end = (int(part, 16) for part in words[0].split("-"))
            try:
                file.seek(start)
                data = file.read(end - start)
                scanned += len(data)
                found += data.count(canary)
            except (OSError, ValueError):
                pass
    assert found == 0, found
    assert scanned > 1 << 20, scanned


{name: body for name, body in globals().items() if callable(body)}[sys.argv[1]]()
