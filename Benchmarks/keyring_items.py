"""keyring_items.py FIRST END: stores so many items in the keyring of the bus, over one connection."""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Tests/CommandTests/Scripts"))
from dbus_client import Client

client = Client(timeout=600)
session = client.plain()
for number in range(int(sys.argv[1]), int(sys.argv[2])):
    attributes = {"service": "bench", "username": f"item{number}", "xdg:schema": "org.freedesktop.Secret.Generic"}
    client.store(session, attributes, b"secret", f"item {number}")
