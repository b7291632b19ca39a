"""A client of D-Bus in both byte orders, on sockets alone: it can also do what no library lets one do."""

import os
import socket
import struct


def address():
    for part in os.environ["DBUS_SESSION_BUS_ADDRESS"].removeprefix("unix:").split(","):
        if part.startswith("path="):
            return part.removeprefix("path=")
    raise SystemExit("the address has no path")


class Failure(Exception):
    """An error in place of a reply; `name` is the error's."""

    def __init__(self, name, words):
        super().__init__(f"{name}: {words}")
        self.name = name


def types(signature):
    """The complete types of a signature."""
    found, at = [], 0
    while at < len(signature):
        start = at
        while signature[at] == "a":
            at += 1
        if signature[at] in "({":
            depth = 0
            while True:
                depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(signature[at], 0)
                at += 1
                if depth == 0:
                    break
        else:
            at += 1
        found.append(signature[start:at])
    return found


NUMBERS = {"y": "B", "b": "I", "n": "h", "q": "H", "i": "i", "u": "I", "x": "q", "t": "Q", "d": "d", "h": "I"}
ALIGNMENT = {"s": 4, "o": 4, "g": 1, "v": 1, "a": 4, "(": 8, "{": 8}


def alignment(kind):
    return struct.calcsize(NUMBERS[kind]) if kind in NUMBERS else ALIGNMENT[kind[0]]


class Writer:
    def __init__(self, order):
        self.order, self.data = order, bytearray()

    def align(self, size):
        self.data += bytes(-len(self.data) % size)

    def put(self, kind, value):
        self.align(alignment(kind))
        if kind in NUMBERS:
            self.data += struct.pack(self.order + NUMBERS[kind], value)
        elif kind in "so":
            text = value.encode()
            self.data += struct.pack(self.order + "I", len(text)) + text + b"\0"
        elif kind == "g":
            self.data += bytes([len(value)]) + value.encode() + b"\0"
        elif kind == "v":
            self.put("g", value[0])
            self.put(value[0], value[1])
        elif kind == "ay" and isinstance(value, (bytes, bytearray)):
            self.data += struct.pack(self.order + "I", len(value)) + value
        elif kind[0] == "a":
            self.data += bytes(4)
            length = len(self.data) - 4
            self.align(alignment(kind[1:]))
            start = len(self.data)
            for element in value.items() if isinstance(value, dict) else value:
                self.put(kind[1:], element)
            struct.pack_into(self.order + "I", self.data, length, len(self.data) - start)
        else:
            for part, member in zip(types(kind[1:-1]), value):
                self.put(part, member)


class Reader:
    def __init__(self, order, data):
        self.order, self.data, self.at = order, data, 0

    def align(self, size):
        self.at += -self.at % size

    def take(self, kind):
        self.align(alignment(kind))
        if kind in NUMBERS:
            size = struct.calcsize(NUMBERS[kind])
            self.at += size
            return struct.unpack_from(self.order + NUMBERS[kind], self.data, self.at - size)[0]
        if kind in "so":
            length = self.take("u")
            self.at += length + 1
            return bytes(self.data[self.at - length - 1:self.at - 1]).decode()
        if kind == "g":
            length = self.take("y")
            self.at += length + 1
            return bytes(self.data[self.at - length - 1:self.at - 1]).decode()
        if kind == "v":
            return self.take(self.take("g"))
        if kind[0] == "a":
            length = self.take("u")
            self.align(alignment(kind[1:]))
            end = self.at + length
            if kind == "ay":
                self.at = end
                return bytes(self.data[end - length:end])
            found = []
            while self.at < end:
                found.append(self.take(kind[1:]))
            return dict(found) if kind[1] == "{" else found
        return tuple(self.take(part) for part in types(kind[1:-1]))


class Client:
    """A connection to the bus of the environment."""

    def __init__(self, order="<", timeout=300, hello=True):
        self.order, self.serial, self.signals = order, 0, []
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.socket.connect(address())
        self.socket.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        line = b""
        while not line.endswith(b"\r\n"):
            line += self.exactly(1)
        assert line.startswith(b"OK "), line
        self.socket.sendall(b"BEGIN\r\n")
        if hello:
            self.name = self.bus("Hello")

    def exactly(self, count):
        data = bytearray()
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise ConnectionError("the bus has closed the connection")
            data += more
        return data

    def message(self, path, interface, member, signature="", arguments=(), destination="org.freedesktop.secrets"):
        self.serial += 1
        body = Writer(self.order)
        for kind, value in zip(types(signature), arguments):
            body.put(kind, value)
        fields = [(1, ("o", path)), (2, ("s", interface)), (3, ("s", member)), (6, ("s", destination))]
        if signature:
            fields.append((8, ("g", signature)))
        header = Writer(self.order)
        for kind, value in zip("yyyyuu", (b"l"[0] if self.order == "<" else b"B"[0], 1, 0, 1, len(body.data), self.serial)):
            header.put(kind, value)
        header.put("a(yv)", fields)
        header.align(8)
        return bytes(header.data + body.data)

    def read(self):
        """The next message: (type, fields, arguments)."""
        start = self.exactly(16)
        order = "<" if start[0] == b"l"[0] else ">"
        body, _, fields = struct.unpack_from(order + "III", start, 4)
        data = start + self.exactly(-(-fields // 8) * 8 + body)
        reader = Reader(order, data)
        reader.at = 12
        fields = dict(reader.take("a(yv)"))
        reader.align(8)
        reader = Reader(order, data[reader.at:])
        return start[1], fields, tuple(reader.take(kind) for kind in types(fields.get(8, "")))

    def reply(self):
        while True:
            kind, fields, values = self.read()
            if kind == 4:
                self.signals.append((fields[1], fields[3], values))
            elif fields.get(5) == self.serial:
                if kind == 3:
                    raise Failure(fields[4], values[0] if values else "")
                return values[0] if len(values) == 1 else values

    def call(self, *arguments, **more):
        self.socket.sendall(self.message(*arguments, **more))
        return self.reply()

    def bus(self, member, signature="", *arguments):
        name = "org.freedesktop.DBus"
        return self.call("/org/freedesktop/DBus", name, member, signature, arguments, destination=name)

    def service(self, member, signature="", *arguments):
        return self.call(ROOT, SECRET + "Service", member, signature, arguments)

    def collection(self, member, signature="", *arguments):
        return self.call(COLLECTION, SECRET + "Collection", member, signature, arguments)

    def item(self, path, member, signature="", *arguments):
        return self.call(path, SECRET + "Item", member, signature, arguments)

    def property(self, path, interface, name):
        return self.call(path, "org.freedesktop.DBus.Properties", "Get", "ss", (SECRET + interface, name))

    def set(self, path, interface, name, kind, value):
        arguments = (SECRET + interface, name, (kind, value))
        return self.call(path, "org.freedesktop.DBus.Properties", "Set", "ssv", arguments)

    def plain(self):
        """A session in which secrets travel as they are."""
        return self.service("OpenSession", "sv", "plain", ("s", ""))[1]

    def store(self, session, attributes, secret, label="label", replace=True):
        properties = {SECRET + "Item.Label": ("s", label), SECRET + "Item.Attributes": ("a{ss}", attributes)}
        secret = (session, b"", secret, "text/plain")
        return self.collection("CreateItem", "a{sv}(oayays)b", properties, secret, replace)[0]

    def secret(self, session, path):
        return self.item(path, "GetSecret", "o", session)[2]


ROOT = "/org/freedesktop/secrets"
COLLECTION = ROOT + "/collection/login"
SECRET = "org.freedesktop.Secret."


def error(body):
    """The name of the error that a call answers with."""
    try:
        return f"no error but {body()}"
    except Failure as failure:
        return failure.name
