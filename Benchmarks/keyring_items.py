"""keyring_items.py write COUNT | encrypt | open COUNT: gives the gnome-keyring of this home and bus so many items.

`write` puts them into a keyring file before the daemon starts, `encrypt` gives that keyring a password, and `open`, on
another bus with a new daemon, opens it and makes it the default collection. Stored one by one, 10,000 of them would take
the better part of an hour, since each store writes all items again; and the daemon loses a keyring whose password it has
changed, until it starts again.
"""

import json
import os
import pathlib
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Tests/CommandTests/Scripts"))
from dbus_client import Client, ROOT

NAME, PASSWORD, LONGEST = "many", b"bench", 60
COLLECTION = f"{ROOT}/collection/{NAME}"
MASTER = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"


def attributes_of(number):
    return {"service": "bench", "username": f"item{number}", "xdg:schema": "org.freedesktop.Secret.Generic"}


def for_import(count):
    """The same items as `vault import json` reads them, as the served keyring keeps what a program stores."""
    return json.dumps({"schema": 1, "items": [
        {"name": f"keyring/item {number}", "secret": "secret",
         "attributes": {**attributes_of(number), "vault:label": f"item {number}"}} for number in range(count)]})


def write(count):
    """gkm-secret-textual.c has the form: a keyring without a password."""
    lines = ["[keyring]", f"display-name={NAME}"]
    for number in range(count):
        lines += ["", f"[{number}]", "item-type=0", f"display-name=item {number}", "secret=secret"]
        for index, (name, value) in enumerate(attributes_of(number).items()):
            lines += ["", f"[{number}:attribute{index}]", f"name={name}", "type=string", f"value={value}"]
    folder = pathlib.Path(os.environ["HOME"]) / ".local/share/keyrings"
    folder.mkdir(parents=True)
    file = folder / f"{NAME}.keyring"
    file.touch(0o600)
    file.write_text("\n".join(lines) + "\n")


def found():
    """A client of a daemon that has found the keyring, and how it says a password."""
    client = Client(timeout=600)
    session = client.plain()
    end = time.monotonic() + LONGEST
    while COLLECTION not in client.property(ROOT, "Service", "Collections"):
        if time.monotonic() > end:
            sys.exit("gnome-keyring does not find the keyring")
        time.sleep(0.2)
    return client, lambda password: (session, b"", password, "text/plain")


def encrypt():
    client, secret = found()
    client.call(ROOT, MASTER, "ChangeWithMasterPassword", "o(oayays)(oayays)",
                (COLLECTION, secret(b""), secret(PASSWORD)))


def unlock(count):
    client, secret = found()
    client.call(ROOT, MASTER, "UnlockWithMasterPassword", "o(oayays)", (COLLECTION, secret(PASSWORD)))
    client.service("SetAlias", "so", "default", COLLECTION)
    items = len(client.property(COLLECTION, "Collection", "Items"))
    if items != count:
        sys.exit(f"gnome-keyring has {items} of {count} items")


if __name__ == "__main__":
    word, *counts = sys.argv[1:]
    {"write": write, "encrypt": encrypt, "open": unlock}[word](*map(int, counts))
