"""keyring_items.py [--file] FIRST END: stores so many items in the keyring of the bus, over one connection.

With --file, gnome-keyring gets them as a keyring file of its own, which it then encrypts and makes its default
collection: each store of its own writes all items again, so that 10,000 of them would take the better part of an hour.
"""

import os
import pathlib
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Tests/CommandTests/Scripts"))
from dbus_client import Client, Failure, ROOT

NAME, PASSWORD = "many", b"bench"
MASTER = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"


def attributes_of(number):
    return {"service": "bench", "username": f"item{number}", "xdg:schema": "org.freedesktop.Secret.Generic"}


def store(numbers):
    client = Client(timeout=600)
    session = client.plain()
    for number in numbers:
        client.store(session, attributes_of(number), b"secret", f"item {number}")


def put_file(numbers):
    """gkm-secret-textual.c has the form: a keyring without a password."""
    lines = ["[keyring]", f"display-name={NAME}"]
    for number in numbers:
        lines += ["", f"[{number}]", "item-type=0", f"display-name=item {number}", "secret=secret"]
        for index, (name, value) in enumerate(attributes_of(number).items()):
            lines += ["", f"[{number}:attribute{index}]", f"name={name}", "type=string", f"value={value}"]
    data = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share")
    file = data / "keyrings" / f"{NAME}.keyring"
    file.write_text("\n".join(lines) + "\n")
    file.chmod(0o600)
    client = Client(timeout=600)
    session = client.plain()
    path = f"{ROOT}/collection/{NAME}"

    def secret(password):
        return (session, b"", password, "text/plain")
    while path not in client.property(ROOT, "Service", "Collections"):
        time.sleep(0.2)
    client.call(ROOT, MASTER, "ChangeWithMasterPassword", "o(oayays)(oayays)", (path, secret(b""), secret(PASSWORD)))
    # It reads its own file again then, and the collection is away for a while.
    for attempt in range(300):
        try:
            client.call(ROOT, MASTER, "UnlockWithMasterPassword", "o(oayays)", (path, secret(PASSWORD)))
            client.service("SetAlias", "so", "default", path)
            if len(client.property(path, "Collection", "Items")) == len(numbers):
                return
        except Failure:
            pass
        time.sleep(1)
    sys.exit("gnome-keyring does not take the file")


words = sys.argv[1:]
way = put_file if words[0] == "--file" else store
way(range(int(words[-2]), int(words[-1])))
