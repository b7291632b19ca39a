"""Questions of a served keyring on the terminal that serves. Usage: serving_terminal.py VAULT HOME PASSPHRASE"""

import os
import signal
import sys
import termios

import pexpect

# A test runner's threads block signals, and children inherit that.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
vault, home, passphrase = sys.argv[1:4]
CLIENT = """
import sys
sys.path.insert(0, sys.argv[1])
from dbus_client import COLLECTION, SECRET, Client, Failure
client = Client()
session = client.plain()
path = client.collection("SearchItems", "a{ss}", {"service": "vault", "username": "api-token"})[0]

def prompted(prompt):
    client.call(prompt, SECRET + "Prompt", "Prompt", "s", ("",))
    while True:
        for signal in client.signals:
            if signal[1] == "Completed":
                client.signals.remove(signal)
                return signal[2]
        kind, fields, values = client.read()
        client.signals.append((fields[1], fields[3], values))

for word in sys.stdin:
    try:
        if word == "get\\n":
            client.secret(session, path)
            print("got it", flush=True)
        elif word == "open\\n":
            client.service("Lock", "ao", [COLLECTION])
            print("dismissed" if prompted(client.service("Unlock", "ao", [COLLECTION])[1])[0] else "opened", flush=True)
    except Failure as failure:
        print(failure.name.split(".")[-1], flush=True)
"""


def start(*options):
    environment = {
        "HOME": home, "PATH": os.environ["PATH"], "TERM": "xterm", "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": "/tmp"}
    return pexpect.spawn(
        vault, ["keyring", "serve", "--no-session", "--key-file", f"{home}/key", *options, "--", "python3", "-c", CLIENT,
                os.path.dirname(os.path.abspath(__file__))],
        env=environment, encoding="utf-8", timeout=300,
        dimensions=(24, 400))


def echoes(child):
    return bool(termios.tcgetattr(child.child_fd)[3] & termios.ECHO)


def expect(child, text):
    child.expect_exact(text)


def answers():
    child = start("--confirm")
    for answer, outcome in [("", "AccessDenied"), ("maybe", "AccessDenied"), ("once", "got it"), ("o", "got it"), ("r", "got it")]:
        child.sendline("get")
        child.expect(r"vault: python3[^ ]* \(process \d+, started by python3[^ ]*\) wants 'api-token'\.")
        expect(child, "Return refuses this use)")
        assert echoes(child)
        child.sendline(answer)
        expect(child, outcome)
    # For this run: no further question.
    child.sendline("get")
    assert child.expect_exact(["got it", "Allow it"]) == 0
    child.sendeof()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0, (child.exitstatus, child.signalstatus)


def never():
    child = start("--confirm")
    for answer in ["never", None]:
        child.sendline("get")
        if answer:
            expect(child, "Return refuses this use)")
            child.sendline(answer)
        expect(child, "AccessDenied")
    child.sendeof()
    child.expect(pexpect.EOF)
    child.close()


def deadline():
    """Without an answer the call and the prompt end, and the terminal is as it was."""
    child = start("--confirm", "--answer-within", "1s")
    before = termios.tcgetattr(child.child_fd)
    child.sendline("get")
    expect(child, "Return refuses this use)")
    expect(child, "AccessDenied")
    child.sendline("open")
    expect(child, "Passphrase:")
    expect(child, "dismissed")
    assert termios.tcgetattr(child.child_fd)[:4] == before[:4]
    child.sendeof()
    child.expect(pexpect.EOF)
    child.close()


def opens():
    """A prompt that unlocks on the terminal: wrongly, rightly, and ended by its client."""
    child = start()
    for answer, outcome in [("wrong", "dismissed"), (passphrase, "opened")]:
        child.sendline("open")
        expect(child, "wants the vault to be opened. Passphrase:")
        while echoes(child):
            pass
        child.sendline(answer)
        expect(child, outcome)
        assert answer not in child.before, child.before
        assert echoes(child)
    child.sendline("get")
    expect(child, "got it")
    child.sendline("open")
    expect(child, "Passphrase:")
    while echoes(child):
        pass
    # The keyboard's interrupt ends the command, as always; with it the question.
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.signalstatus == signal.SIGINT, (child.exitstatus, child.signalstatus)


answers()
never()
deadline()
opens()
