"""A client of the agent of ssh, which also does what no library lets one do: `ssh_agent.py TEST`.

SSH_AUTH_SOCK leads to the agent, TEST_KEYS names the lines of its keys, TEST_RSA one of RSA.
"""

import base64
import os
import socket
import struct
import subprocess
import sys
import time

FAILURE, SUCCESS, IDENTITIES, SIGNATURE, EXTENSION_FAILURE, EXTENSIONS = 5, 6, 12, 14, 28, 29
LIMIT = 256 << 10


def string(data):
    return struct.pack(">I", len(data)) + data


class Agent:
    def __init__(self, path=None):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(60)
        self.socket.connect(path or os.environ["SSH_AUTH_SOCK"])

    def take(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def answer(self):
        return self.take(struct.unpack(">I", self.take(4))[0])

    def ask(self, message):
        self.socket.sendall(string(message))
        return self.answer()

    def keys(self):
        answer = self.ask(bytes([11]))
        assert answer[0] == IDENTITIES, answer[:1]
        count, rest = struct.unpack(">I", answer[1:5])[0], answer[5:]
        keys = []
        for _ in range(count):
            parts = []
            for _ in range(2):
                length = struct.unpack(">I", rest[:4])[0]
                parts.append(rest[4 : 4 + length])
                rest = rest[4 + length :]
            keys.append(tuple(parts))
        assert not rest
        return keys

    def sign(self, key, data, flags=0):
        return self.ask(bytes([13]) + string(key) + string(data) + struct.pack(">I", flags))

    def is_closed(self):
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True


def blob(line):
    return base64.b64decode(line.split()[1])


def all_keys():
    return [blob(line) for line in os.environ["TEST_KEYS"].splitlines()]


def sshsig(namespace=b"git", number=0):
    return b"SSHSIG" + string(namespace) + string(b"") + string(b"sha512") + string(
        number.to_bytes(64, "big"))


def protocol():
    agent = Agent()
    assert [key for key, _ in agent.keys()] == all_keys(), "the keys in their order"
    key = all_keys()[0]
    assert agent.sign(key, b"data")[0] == SIGNATURE
    # Equal messages have equal signatures; a key that is not there has none.
    assert agent.sign(key, b"data") == agent.sign(key, b"data")
    assert agent.sign(key[:-1] + b"\0", b"data")[0] == FAILURE
    assert agent.sign(b"", b"")[0] == FAILURE
    rsa = blob(os.environ["TEST_RSA"])
    assert agent.sign(rsa, b"x")[0] == FAILURE, "SHA-1 is refused"
    assert agent.sign(rsa, b"x", 1)[0] == FAILURE
    assert b"rsa-sha2-256" in agent.sign(rsa, b"x", 2)
    assert b"rsa-sha2-512" in agent.sign(rsa, b"x", 4)
    # As long as a message may be: its head, the key, two lengths and the flags.
    longest = LIMIT - 1 - 4 - len(key) - 4 - 4
    assert agent.sign(key, b"x" * longest)[0] == SIGNATURE
    assert agent.ask(bytes([27]) + string(b"query"))[0] == EXTENSIONS
    assert agent.ask(bytes([27]) + string(b"query") + b"x")[0] == EXTENSION_FAILURE
    assert agent.ask(bytes([27]) + string(b"nothing@example.com"))[0] == FAILURE
    assert agent.ask(bytes([27]))[0] == EXTENSION_FAILURE
    # Keys of the vault are not for clients to change; tokens and their libraries are not loaded.
    assert agent.ask(bytes([18]) + string(key))[0] == FAILURE
    assert agent.ask(bytes([19]))[0] == FAILURE
    for number in (20, 21, 26):
        assert agent.ask(bytes([number]) + string(b"/usr/lib/x.so") + string(b""))[0] == FAILURE
    for number in (0, 1, 5, 6, 9, 12, 14, 16, 24, 28, 255):
        assert agent.ask(bytes([number]))[0] == FAILURE, number
    assert len(agent.keys()) == len(all_keys())


def lies():
    for head in (b"\0\0\0\0", b"\xff\xff\xff\xff", struct.pack(">I", LIMIT + 1), b"\x7f\xff\xff\xff"):
        agent = Agent()
        agent.socket.sendall(head + b"\x0b")
        assert agent.is_closed(), head
    agent = Agent()
    key = all_keys()[0]
    for body in (
        b"\x0d", b"\x0d\xff\xff\xff\xff", b"\x0d" + string(key) + b"\0\0\xff\xff",
        b"\x0d" + string(key) + string(b"x"), b"\x0d" + string(key) + string(b"x") + b"\0\0\0\0\0",
        b"\x11" + string(b"ssh-ed25519") + string(b"\xff" * 31), b"\x11" + string(b"ssh-dss"),
        b"\x11" + string(b"ssh-rsa") + 6 * b"\xff\xff\xff\xff", b"\x19", b"\x12", b"\x0b\x0b",
        b"\x16\0\0", b"\x17",
    ):
        assert agent.ask(body)[0] in (FAILURE, EXTENSION_FAILURE), body
    assert agent.keys()


def crowd():
    # Silent ones, halves of messages, ones that do not read: others are served all the same.
    silent = [Agent() for _ in range(200)]
    half = []
    for _ in range(60):
        agent = Agent()
        try:
            agent.socket.sendall(struct.pack(">I", LIMIT) + b"\x0d" + 100_000 * b"x")
        except OSError:
            pass
        half.append(agent)
        started = time.monotonic()
        assert Agent().keys()
        assert time.monotonic() - started < 20
    deaf = Agent()
    deaf.socket.settimeout(1)
    try:
        while True:
            deaf.socket.sendall(1000 * string(b"\x0b"))
    except OSError:
        pass
    assert Agent().keys()
    # Half a message goes on after a while, if its seat was not needed.
    agent = Agent()
    agent.socket.sendall(b"\0\0")
    assert Agent().keys()
    agent.socket.sendall(b"\0\x01\x0b")
    assert agent.answer()[0] == IDENTITIES
    assert silent and half


def memory():
    agents = [Agent() for _ in range(64)]
    for agent in agents:
        assert agent.sign(all_keys()[0], b"x")[0] == SIGNATURE
    data = agents[0].socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    process = struct.unpack("iII", data)[0]
    with open(f"/proc/{process}/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    print(fields["VmRSS"].split()[0], fields["RssAnon"].split()[0])


def locks():
    agent = Agent()
    count = len(agent.keys())
    assert agent.ask(b"\x16" + string(b"pass"))[0] == SUCCESS
    assert agent.keys() == [] and Agent().keys() == []
    assert agent.sign(all_keys()[0], b"x")[0] == FAILURE
    assert agent.ask(b"\x16" + string(b"other"))[0] == FAILURE
    started = time.monotonic()
    for _ in range(3):
        assert agent.ask(b"\x17" + string(b"wrong"))[0] == FAILURE
    assert time.monotonic() - started >= 0.55, "guessing takes time"
    # Others are served meanwhile.
    agent.socket.sendall(string(b"\x17" + string(b"wrong")))
    assert Agent().keys() == []
    assert agent.answer()[0] == FAILURE
    assert agent.ask(b"\x17" + string(b"pass"))[0] == SUCCESS
    assert len(agent.keys()) == count
    assert agent.ask(b"\x17" + string(b"pass"))[0] == FAILURE, "it is not locked"


def rebase():
    agent = Agent()
    for number in range(500):
        assert agent.sign(all_keys()[0], sshsig(number=number))[0] == SIGNATURE


def refused():
    assert Agent().sign(all_keys()[0], sshsig())[0] == FAILURE


def purposes():
    agent = Agent()
    agent.sign(all_keys()[0], sshsig(b"file"))
    agent.sign(all_keys()[0], sshsig(b"\x1b[2Jgit"))
    agent.sign(all_keys()[0], b"anything")
    key = all_keys()[0]
    login = string(b"session") + b"\x32" + string(b"root") + string(b"ssh-connection") + string(
        b"publickey") + b"\x01" + string(b"ssh-ed25519") + string(key)
    agent.sign(key, login)
    agent.sign(key, login)


def hops():
    # A host that the agent is forwarded to binds a session of its own, and logs in to another one.
    first, second = all_keys()
    host, ask = Agent(), Agent()
    for number, (key, forwards) in enumerate([(first, b"\x01"), (second, b"\0")]):
        session = b"session %d" % number
        answer = host.sign(key, session)
        assert answer[0] == SIGNATURE
        bind = b"\x1b" + string(b"session-bind@openssh.com") + string(key) + string(session)
        assert ask.ask(bind + answer[1:] + forwards)[0] == SUCCESS
    for method, end in [
        (b"publickey", b""),
        (b"publickey-hostbound-v00@openssh.com", string(second)),
        (b"publickey-hostbound-v00@openssh.com", string(string(b"new-kind"))),
    ]:
        login = string(session) + b"\x32" + string(b"root") + string(b"ssh-connection")
        login += string(method) + b"\x01" + string(b"ssh-ed25519") + string(first) + end
        for _ in range(2):
            ask.sign(first, login)


def confirmed():
    """A key that asks by itself, then one of the vault that does not, on the same connection."""
    path = os.path.expanduser("~/mine")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
    with open(path) as file:
        data = base64.b64decode("".join(file.read().splitlines()[1:-1]))

    def take(data):
        length = struct.unpack(">I", data[:4])[0]
        return data[4 : 4 + length], data[4 + length :]

    # PROTOCOL.key of OpenSSH: a magic, three strings, a count, the public key, then the private part.
    rest = data[len(b"openssh-key-v1\0"):]
    for _ in range(3):
        _, rest = take(rest)
    public, rest = take(rest[4:])
    private, _ = take(rest)
    kind, rest = take(private[8:])
    point, rest = take(rest)
    secret, _ = take(rest)
    agent = Agent()
    added = bytes([25]) + string(kind) + string(point) + string(secret) + string(b"mine") + b"\x02"
    assert agent.ask(added)[0] == SUCCESS
    for key in public, all_keys()[0]:
        assert agent.sign(key, sshsig())[0] == SIGNATURE


def leaves():
    # A question ends when its client leaves.
    agent = Agent()
    agent.socket.sendall(string(bytes([13]) + string(all_keys()[0]) + string(b"x") + 4 * b"\0"))
    while not os.path.exists(os.environ["TEST_ASKED"]):
        time.sleep(0.01)
    agent.socket.close()
    with open(os.environ["TEST_ASKED"]) as asked:
        process = int(asked.read())
    while os.path.exists(f"/proc/{process}/exe"):
        time.sleep(0.01)
    assert Agent().keys()


def execs():
    # A yes is for the program that was asked about: one that it has run since does not get it.
    key = all_keys()[0]
    for runs_another in (True, False):
        for file in (os.environ["TEST_ASKED"], os.environ["TEST_GO"]):
            if os.path.exists(file):
                os.remove(file)
        output, input = os.pipe()
        child = os.fork()
        if child == 0:
            agent = Agent()
            agent.socket.sendall(string(bytes([13]) + string(key) + string(b"x") + 4 * b"\0"))
            while not os.path.exists(os.environ["TEST_ASKED"]):
                time.sleep(0.01)
            if runs_another:
                agent.socket.setblocking(True)
                os.dup2(agent.socket.fileno(), 0)
                os.dup2(input, 1)
                # It copies what it gets, until the connection ends.
                os.execv("/bin/cat", ["cat"])
            open(os.environ["TEST_GO"], "w").close()
            os.write(input, b"\0\0\0\0" + agent.answer()[:1])
            os._exit(0)
        os.close(input)
        if runs_another:
            while os.readlink(f"/proc/{child}/exe").startswith(os.readlink("/proc/self/exe")):
                time.sleep(0.01)
            open(os.environ["TEST_GO"], "w").close()
        answer = b""
        while len(answer) < 5:
            part = os.read(output, 5 - len(answer))
            assert part, answer
            answer += part
        assert answer[4] == (FAILURE if runs_another else SIGNATURE), (runs_another, answer)
        if runs_another:
            os.kill(child, 9)
        os.waitpid(child, 0)
        os.close(output)


def stranger():
    # Of another user, by a path that lets everybody in.
    path = os.environ["TEST_SOCKET"]
    assert Agent(path).keys()
    os.setgid(65534)
    os.setuid(65534)
    agent = Agent(path)
    try:
        agent.socket.sendall(string(b"\x0b"))
    except OSError:
        return
    assert agent.is_closed()


globals()[sys.argv[1]]()
