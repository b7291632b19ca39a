"""Drives the command on a real terminal. Usage: terminal.py CASE VAULT HOME"""
import os
import signal
import subprocess
import sys
import termios

import pexpect

# A test runner's threads block signals, and children inherit that.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
case, vault, home = sys.argv[1:4]
environment = {"HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "xterm", "LC_ALL": "C.UTF-8"}
key = os.path.join(home, "key")


def start(*words, **more):
    return pexpect.spawn(
        vault, list(words), env=dict(environment, **more), encoding="utf-8", timeout=20, echo=True)


def echoes(child):
    return bool(termios.tcgetattr(child.child_fd)[3] & termios.ECHO)


def plain(*words, **options):
    return subprocess.run(
        [vault, *words], env=environment, capture_output=True, check=False, **options)


def make_vault():
    made = plain("init", "--key-file", key)
    assert made.returncode == 0, made.stderr


def finish(child, status=0):
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == status, (child.exitstatus, child.signalstatus, child.before)


def type_secret(child, prompt, secret):
    child.expect(prompt)
    assert not echoes(child), "echo is on at the prompt"
    child.send(secret + "\r")


def first_set():
    """The first set on a terminal offers to make the vault, asks twice, and shows nothing."""
    child = start("set", "api-token", DBUS_SESSION_BUS_ADDRESS="unix:path=/nonexistent")
    child.expect("Create one with a passphrase")
    child.send("\r")
    type_secret(child, "New passphrase: ", "correct horse battery")
    type_secret(child, "Again: ", "correct horse battery")
    child.expect("Create a recovery code")
    child.send("y\r")
    child.expect(r"([0-9A-Z]{6}(-[0-9A-Z]{6}){5})")
    code = child.match.group(1).split("-")
    child.expect("Type group 2 of the code: ")
    child.send("WRONG1\r")
    child.expect("That is not it")
    child.expect("Type group 2 of the code: ")
    child.send(code[1].lower() + "\r")
    child.expect("Type group 5 of the code: ")
    child.send(code[4] + "\r")
    type_secret(child, "Secret for api-token: ", "s3cr3t")
    type_secret(child, "Again: ", "s3cr3x")
    child.expect("They do not match")
    type_secret(child, "Secret for api-token: ", "s3cr3t")
    type_secret(child, "Again: ", "s3cr3t")
    child.expect("stored: 6 bytes, fingerprint [0-9a-f]{8}")
    assert "s3cr3t" not in child.before
    finish(child)
    child = start("get", "api-token")
    child.expect("s3cr3t\r\n")
    finish(child)
    assert plain("lock").returncode == 0
    child = start("get", "api-token")
    type_secret(child, "Passphrase: ", "wrong one")
    child.expect("That is not it")
    type_secret(child, "Passphrase: ", "correct horse battery")
    child.expect("s3cr3t\r\n")
    finish(child)
    assert plain("lock").returncode == 0
    child = start("unlock", "--recovery")
    type_secret(child, "Recovery code: ", "-".join(code).lower())
    child.expect("open for 1[45] min")
    finish(child)


def stdin_carries_the_secret():
    """The passphrase is asked for on the terminal while stdin carries the secret."""
    child = start("init", "--no-recovery", DBUS_SESSION_BUS_ADDRESS="unix:path=/nonexistent")
    type_secret(child, "New passphrase: ", "correct horse battery")
    type_secret(child, "Again: ", "correct horse battery")
    finish(child)
    assert plain("lock").returncode == 0
    line = f"printf piped | {vault} set piped --stdin"
    child = pexpect.spawn("/bin/sh", ["-c", line], env=environment, encoding="utf-8", timeout=20)
    type_secret(child, "Passphrase: ", "correct horse battery")
    finish(child)
    assert plain("get", "piped").stdout == b"piped"


def editing():
    """Backspace takes a whole character, ^U all, arrow keys nothing; a long token is not cut."""
    make_vault()
    for typed, kept in [
        ("ab\x7fc", b"ac"), ("wrong\x15right", b"right"), ("x\u00e9\x7fy", b"xy"),
        ("a\x1b[Db", b"ab"), ("t" * 6000, b"t" * 6000), ("tab\tbed", b"tab\tbed"),
    ]:
        child = start("set", "item")
        for prompt in ["Secret for item: ", "Again: "]:
            type_secret(child, prompt, typed)
        finish(child)
        assert plain("get", "item").stdout == kept, typed
    child = start("set", "item")
    child.expect("Secret for item: ")
    child.send("\x04")
    finish(child, 130)


def signals():
    """Echo is back after every signal that ends the command, and the signal has its effect."""
    make_vault()
    for number, typed in [
        (signal.SIGINT, "\x03"), (signal.SIGQUIT, "\x1c"), (signal.SIGTERM, None),
        (signal.SIGHUP, None),
    ]:
        child = start("set", "item")
        child.expect("Secret for item: ")
        assert not echoes(child)
        child.send("half")
        if typed:
            child.send(typed)
        else:
            os.kill(child.pid, number)
        child.expect(pexpect.EOF)
        assert echoes(child), f"no echo after {number}"
        child.close()
        assert child.signalstatus == number, (number, child.exitstatus, child.signalstatus)
    assert plain("list").stdout == b""


def stop():
    """Stopped by ^Z the shell has a terminal with echo; continued, the prompt is there again."""
    make_vault()
    shell = pexpect.spawn(
        "/bin/dash", ["-i"], env=dict(environment, PS1="ready> "), encoding="utf-8", timeout=20)
    shell.expect("ready> ")
    shell.sendline(f"{vault} set item")
    shell.expect("Secret for item: ")
    assert not echoes(shell)
    shell.send("s3c")
    shell.expect("\u00b7\u00b7\u00b7")
    shell.send("\x1a")
    shell.expect("ready> ")
    assert echoes(shell), "no echo while stopped"
    shell.sendline("fg")
    shell.expect("Secret for item: ")
    assert not echoes(shell), "echo after fg"
    shell.send("r3t\r")
    shell.expect("Again: ")
    shell.send("s3cr3t\r")
    shell.expect("ready> ")
    assert echoes(shell)
    assert plain("get", "item").stdout == b"s3cr3t"
    shell.sendline("exit")
    shell.expect(pexpect.EOF)


def reminder():
    """Every tenth secret that is set at a terminal says that one slot alone opens the vault, until there is another."""
    make_vault()

    def set_one():
        child = start("set", "item", "--file", key)
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0, child.before
        return "only one key slot opens this vault" in child.before

    assert [set_one() for _ in range(20)] == ([False] * 9 + [True]) * 2
    # Nobody reads it elsewhere.
    assert b"only one" not in plain("set", "item", "--file", key).stderr
    assert plain("key", "add", "--new-key-file", key + "2").returncode == 0
    assert not any(set_one() for _ in range(10))


def screen():
    """Names and secrets do nothing to a terminal."""
    make_vault()
    name = "evil\u202ename"
    assert plain("set", name, "--stdin", input=b"\x1b[2J").returncode == 0
    assert plain("set", "label", "--stdin", "--note", "x\x1b[2Jlabel", input=b"v").returncode == 0
    child = start("list")
    child.expect(pexpect.EOF)
    assert "evil\\u{202e}name" in child.before, child.before
    child.close()
    child = start("show", "label")
    child.expect(pexpect.EOF)
    assert "x\\u{1b}[2Jlabel" in child.before, child.before
    child.close()
    child = start("get", name)
    child.expect("--out FILE")
    assert "\x1b[2J" not in child.before
    finish(child, 64)


{
    "first-set": first_set, "stdin": stdin_carries_the_secret, "editing": editing,
    "signals": signals, "stop": stop, "screen": screen, "reminder": reminder,
}[case]()
