"""Changes the password of gnome-keyring's keyring `login`, as Seahorse does: OLD NEW."""
import sys

from jeepney import DBusAddress, MessageType, new_method_call
from jeepney.io.blocking import open_dbus_connection

PATH = "/org/freedesktop/secrets"
BUS = "org.freedesktop.secrets"
connection = open_dbus_connection("SESSION")


def ask(interface, method, signature, body):
    address = DBusAddress(PATH, BUS, interface)
    reply = connection.send_and_get_reply(new_method_call(address, method, signature, body))
    if reply.header.message_type != MessageType.method_return:
        sys.exit(f"{method}: {reply.body}")
    return reply.body


session = ask("org.freedesktop.Secret.Service", "OpenSession", "sv", ("plain", ("s", "")))[1]
old, new = [(session, b"", word.encode(), "text/plain") for word in sys.argv[1:3]]
ask(
    "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface", "ChangeWithMasterPassword",
    "o(oayays)(oayays)", (PATH + "/collection/login", old, new))
