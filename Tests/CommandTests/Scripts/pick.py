"""Picks items on a real terminal. Usage: pick.py CASE VAULT HOME"""
import base64
import json
import os
import re
import signal
import subprocess
import sys
import termios
import time

import pexpect

signal.pthread_sigmask(signal.SIG_SETMASK, [])
case, vault, home = sys.argv[1:4]
environment = {
    "HOME": home, "PATH": f"{home}/bin:/usr/local/bin:/usr/bin:/bin", "TERM": "xterm-256color",
    "LC_ALL": "C.UTF-8", "VAULT_KEY_FILE": f"{home}/key", "NO_COLOR": "1",
}
# The line of the prompt and all below it are erased, whichever way the list ends.
ERASED = "\r\x1b[J"


def run(*words, status=0, **options):
    done = subprocess.run(
        [vault, *words], env=environment, capture_output=True, check=False, timeout=300, **options)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done


def start(*words, rows=24, columns=80):
    return pexpect.spawn(
        vault, list(words), env=environment, encoding="utf-8", timeout=300,
        dimensions=(rows, columns))


def echoes(child):
    return bool(termios.tcgetattr(child.child_fd)[3] & termios.ECHO)


def finish(child, status=0):
    child.expect(pexpect.EOF)
    text = child.before
    child.close()
    assert child.exitstatus == status, (child.exitstatus, child.signalstatus, text)
    return text


def put(*names):
    for name in names:
        run("set", name, "--stdin", input=f"secret of {name}".encode())


def line(text):
    """A line of the list as it is drawn."""
    return re.escape(text) + r"(?=[\r\n\x1b])"


def narrow():
    put("github", "gitlab", "mail/work", "web/github")
    child = start("get")
    child.expect("> +4/4")
    assert not echoes(child)
    child.expect(line("> github"))
    child.send("w")
    child.expect("> w {2}2/4")
    child.send("ebg")
    child.expect("> webg {2}1/4")
    child.expect("> web/github")
    child.send("\x7f\x7f\x7f\x7f")
    child.expect("4/4")
    child.send("LAB")
    child.expect("> LAB {2}1/4")
    child.send("\r")
    child.expect("secret of gitlab\r\n")
    finish(child)
    # Nothing matches: Return waits, and what was typed is taken back as a whole.
    child = start("get")
    child.expect("4/4")
    child.send("zzz\r")
    child.expect("0/4")
    child.send("\x15")
    child.expect("4/4")
    child.send("web git")
    child.expect("web git {2}1/4")
    child.send("\x17\x17mail\r")
    child.expect("secret of mail/work\r\n")
    finish(child)
    # Into a pipe, too: the list is on the terminal, and only the secret goes on.
    child = pexpect.spawn(
        "/bin/sh", ["-c", f"{vault} get > {home}/out"], env=environment, encoding="utf-8", timeout=300)
    child.expect("4/4")
    child.send("mail\r")
    finish(child)
    with open(f"{home}/out", "rb") as file:
        assert file.read() == b"secret of mail/work"
    # Without a terminal there is nobody to ask.
    for words in [["get"], ["show"], ["otp"], ["edit"]]:
        assert b"missing expected argument '<name>'" in run(
            *words, status=64, stdin=subprocess.DEVNULL, start_new_session=True).stderr


def known():
    """Users, addresses, tags and notes are searched, too, and shown behind the name."""
    put("github", "web/one", "web/two")
    run("set", "web/one", "--field", "user=bob@example.com", "--field", "url=https://git.example.org/x")
    run("set", "web/two", "--tag", "forge", "--note", "the mirror")
    child = start("get")
    child.expect(line("  web/one  bob@example.com  git.example.org"))
    for typed, name in [("bob@", "one"), ("git.ex", "one"), ("forge", "two"), ("mirror", "two")]:
        child.send("\x15")
        child.expect("> {2,}3/3")
        child.send(typed)
        child.expect(f"> web/{name}")
    child.send("\r")
    child.expect("secret of web/two\r\n")
    finish(child)
    # No item has this name: what has the word can be picked.
    child = start("get", "bob@example.com")
    child.expect("there is no item of that name")
    child.expect("> +1/1")
    child.send("\r")
    child.expect("secret of web/one\r\n")
    finish(child)
    assert b"did you mean: web/one, which was found by bob@example.com" in run(
        "get", "bob@example.com", status=1, stdin=subprocess.DEVNULL, start_new_session=True).stderr


def dumb():
    """A terminal that only has lines: a numbered list, and nothing is drawn over."""
    put("github", "mail/work", "web/github", *[f"x/{number:02}" for number in range(30)])
    for terminal in ["dumb", None]:
        others = {key: value for key, value in environment.items() if key != "TERM"}
        child = pexpect.spawn(
            vault, ["get"], env=dict(others, **({"TERM": terminal} if terminal else {})),
            encoding="utf-8", timeout=300)
        child.expect("1  github\r\n2  mail/work\r\n3  web/github\r\n")
        child.expect("and 13 more\r\n")
        child.expect("Number, or a word to look for: ")
        text = child.before
        child.send("nothing\r")
        child.expect("nothing has that word")
        child.expect("look for: ")
        child.send("hub\r")
        child.expect("1  github\r\n2  web/github\r\n")
        child.send("2\r")
        child.expect("secret of web/github\r\n")
        text += child.before
        assert "\x1b" not in text + finish(child), text
    child = pexpect.spawn(vault, ["get"], env=dict(environment, TERM="dumb"), encoding="utf-8", timeout=300)
    child.expect("look for: ")
    child.send("\x04")
    finish(child, 130)


def keys():
    put(*[f"item-{number:02}" for number in range(30)])
    for typed, name in [
        ("\x1b[B\x1b[B", "item-02"), ("\x1bOB\x0e\x10", "item-01"), ("\x1b[6~", "item-10"),
        ("\x1b[F", "item-29"), ("\x1b[F\x1b[5~", "item-19"), ("\x1b[F\x1b[H", "item-00"),
        ("\x1b[A", "item-00"), ("\x1b[3~", "item-00"), ("\t\t\x1b[Z", "item-01"),
    ]:
        child = start("get")
        child.expect("30/30")
        child.send(typed + "\r")
        child.expect(f"secret of {name}\r\n")
        finish(child)
    # The window of the list follows the selection.
    child = start("get")
    child.expect("30/30")
    child.send("\x1b[F")
    child.expect(line("> item-29"))
    assert "item-19" not in child.before
    child.send("\x1b")
    finish(child, 130)
    for words in [["show"], ["edit"]]:
        child = start(*words)
        child.expect("30/30")
        child.send("\x1b")
        finish(child, 130)


def leaving():
    put("one", "two")
    for typed, status in [("\x1b", 130), ("\x04", 130), ("\x07", 130), ("x\x04\x15\x04", 130)]:
        child = start("get")
        child.expect("2/2")
        child.send(typed)
        text = finish(child, status)
        assert ERASED in text and "secret of" not in text, text
    # Signals have their effect, and the terminal is as it was.
    for typed, number in [("\x03", signal.SIGINT), ("\x1c", signal.SIGQUIT), (None, signal.SIGTERM)]:
        child = pexpect.spawn("/bin/bash", ["--norc", "-i"], env=dict(environment, PS1="READY$ "),
                              encoding="utf-8", timeout=300)
        child.expect(r"READY\$ ")
        child.sendline(f"{vault} get")
        child.expect("2/2")
        assert not echoes(child)
        if typed:
            child.send(typed)
        else:
            with open(f"/proc/{child.pid}/task/{child.pid}/children", encoding="utf-8") as file:
                os.kill(int(file.read().split()[0]), signal.SIGTERM)
        child.expect(re.escape(ERASED))
        child.expect(r"READY\$ ")
        # An interactive bash turns echo off itself while one types.
        child.sendline("echo status $?; stty -a")
        child.expect(f"status {128 + number}\r\n")
        child.expect("[^-]echo ")
        child.expect(r"READY\$ ")
        child.close(force=True)
    # Stopped and continued: the list is drawn again.
    child = pexpect.spawn("/bin/bash", ["--norc", "-i"], env=dict(environment, PS1="READY$ "),
                          encoding="utf-8", timeout=300)
    child.expect(r"READY\$ ")
    child.sendline(f"{vault} get")
    child.expect("2/2")
    child.send("tw")
    child.expect("> tw {2}1/2")
    child.send("\x1a")
    child.expect(r"READY\$ ")
    child.sendline("fg")
    child.expect("> tw {2}1/2")
    child.send("\r")
    child.expect("secret of two\r\n")
    child.close(force=True)


def windows():
    long = "a-very-long-name/" + "x" * 100
    wide = "日本語/パスワード"
    put(long, wide, "é/über", "plain")
    child = start("get", rows=24, columns=40)
    child.expect("4/4")
    child.expect(line("> " + long[:36] + "…"))
    child.setwinsize(5, 24)
    child.expect("4/4")
    child.expect(line("> " + long[:20] + "…"))
    child.expect(re.escape("\x1b[4A"))
    child.setwinsize(3, 20)
    child.expect("4/4")
    child.expect(re.escape("\x1b[2A"))
    child.send("ÜB")
    child.expect("> ÜB {2}1/4")
    child.send("\x7f\x7f")
    child.expect("4/4")
    child.send("パス\r")
    child.expect(f"secret of {wide}\r\n")
    finish(child)
    # A wide name is cut between characters, and what was typed stays on its line.
    child = start("get", rows=24, columns=14)
    child.expect("4/4")
    child.send("日本")
    child.expect(line("> 日本語/パ…"))
    child.send("x" * 40)
    child.expect("0/4|x{6}")
    child.send("\x1b")
    text = finish(child, 130)
    for drawn in text[:text.rindex(ERASED)].split("\r"):
        assert len(re.sub("\x1b\\[[0-9]*[A-Z]", "", drawn).strip("\n")) <= 14, drawn


def many():
    """Ten thousand names: each key is answered at once."""
    names = {f"team-{number % 100}/service-{number}/password": "x" for number in range(10_000)}
    run("import", "json", "-", input=json.dumps(names).encode())
    child = start("get")
    child.expect("10000/10000")
    begin = time.monotonic()
    for typed, shown in [("s", "10000/10000"), ("ervice-98", "/10000"), ("76", "1/10000")]:
        child.send(typed)
        child.expect(shown)
    assert time.monotonic() - begin < 10, time.monotonic() - begin
    child.send("\r")
    child.expect("x\r\n")
    finish(child)


def copies():
    put("github", "gitlab")
    child = start("get")
    child.expect("2/2")
    child.expect_exact("^Y copies")
    child.send("lab")
    child.expect("1/2")
    child.send("\x19")
    text = finish(child)
    found = re.search("\x1b\\]52;c;([A-Za-z0-9+/=]+)", text)
    assert found and base64.b64decode(found.group(1)) == b"secret of gitlab", text
    assert "secret of" not in text
    # Where it could not be copied, the key means nothing.
    child = start("show")
    child.expect("2/2")
    child.send("\x19")
    child.send("\r")
    assert "secret of" not in finish(child)
    # With VAULT_PLAIN nothing is drawn: the list has numbers.
    child = pexpect.spawn(vault, ["get"], env=dict(environment, VAULT_PLAIN="1"), encoding="utf-8", timeout=300)
    child.expect("1  github")
    child.expect("2  gitlab")
    child.expect("look for: ?")
    child.sendline("2")
    text = finish(child)
    assert "secret of gitlab" in text and "\x1b" not in text, repr(text)


def menu():
    put("github", "web/github", "日本語")
    run("set", "github", "--field", "user=bob")
    run("set", "github", "--otp", "--stdin", input=b"GEZDGNBVGY3TQOJQ")
    os.mkdir(f"{home}/bin")

    def program(name, body):
        with open(f"{home}/bin/{name}", "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\necho {name} \"$@\" > {home}/words\n{body}\n")
        os.chmod(f"{home}/bin/{name}", 0o700)

    def copied(*words, display="WAYLAND_DISPLAY", status=0):
        """Runs the menu on a terminal, whose clipboard gets the secret: OSC 52."""
        child = pexpect.spawn(
            vault, ["menu", "--clipboard", "terminal", "--clear-after", "0", *words],
            env=dict(environment, **{display: "none"}), encoding="utf-8", timeout=300)
        text = finish(child, status)
        found = re.search("\x1b\\]52;c;([A-Za-z0-9+/=]+)", text)
        return base64.b64decode(found.group(1)).decode() if found else text

    def words():
        with open(f"{home}/words", encoding="utf-8") as file:
            return file.read()

    assert "no program for menus is installed" in copied(status=69)
    assert b"no display for a menu" in run("menu", status=69).stderr
    # Behind a name is what one may look for; no secret, and no seed of codes.
    pick = f"tee {home}/lines | grep bob"
    program("rofi", pick)
    assert copied(display="DISPLAY") == "secret of github"
    assert words() == "rofi -dmenu -i -no-custom -p vault\n"
    with open(f"{home}/lines", encoding="utf-8") as file:
        assert file.read() == "github   bob\nweb/github\n日本語\n"
    program("fuzzel", "grep 日")
    assert copied() == "secret of 日本語"
    assert words().startswith("fuzzel --dmenu")
    assert copied("--program", "rofi", "--field", "user") == "bob"
    assert re.fullmatch("[0-9]{6}", copied("--program", "rofi", "--otp"))
    program("mine", pick)
    assert copied("--program", "mine -x y") == "secret of github"
    assert words() == "mine -x y\n"
    # The name alone, as one that completes what is typed prints it.
    program("mine", "echo github")
    assert copied("--program", "mine") == "secret of github"
    # Given up, and what is not an item.
    program("fuzzel", "exit 1")
    assert "given up" in copied(status=130)
    program("fuzzel", "echo other")
    assert "not an item" in copied(status=1)
    assert "could not be started" in copied("--program", "none-such", status=69)


run("init", "--key-file", f"{home}/key", "--no-recovery")
{"known": known, "dumb": dumb, "narrow": narrow, "keys": keys, "leaving": leaving, "windows": windows, "many": many,
 "menu": menu, "copies": copies}[case]()
