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
        vault, list(words), env=dict(environment, **more), encoding="utf-8", timeout=300, echo=True,
        dimensions=(24, 200))


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
    child = start("set", "api-token", DBUS_SESSION_BUS_ADDRESS=f"unix:path={home}/no-bus")
    child.expect("Create one with a passphrase")
    child.send("\r")
    type_secret(child, "New passphrase: ", "correct horse battery")
    type_secret(child, "Again: ", "correct horse battery")
    type_secret(child, "Secret for api-token: ", "s3cr3t")
    type_secret(child, "Again: ", "s3cr3x")
    child.expect("They do not match")
    type_secret(child, "Secret for api-token: ", "s3cr3t")
    type_secret(child, "Again: ", "s3cr3t")
    child.expect("stored: 6 bytes, fingerprint [0-9a-f]{8}")
    assert "s3cr3t" not in child.before
    child.expect("Create a recovery code")
    child.send("y\r")
    child.expect(r"([0-9A-Z]{6}(-[0-9A-Z]{6}){5})")
    code = child.match.group(1).split("-")
    child.expect("Type group 2 of the code: ")
    child.send("WRONG1\r")
    child.expect("That does not match")
    child.expect("Type group 2 of the code: ")
    # As people write and read them.
    child.send(code[1].lower().replace("0", "o").replace("1", "l") + "\r")
    child.expect("Type group 5 of the code: ")
    child.send(code[4][:3] + " " + code[4][3:] + "\r")
    child.expect("unlocks the vault from now on")
    finish(child)
    child = start("get", "api-token")
    child.expect("s3cr3t\r\n")
    finish(child)
    assert plain("lock").returncode == 0
    child = start("get", "api-token")
    type_secret(child, "Passphrase: ", "wrong one")
    child.expect("Wrong passphrase. 2 tries left")
    type_secret(child, "Passphrase: ", "correct horse battery")
    child.expect("s3cr3t\r\n")
    finish(child)
    assert plain("lock").returncode == 0
    child = start("unlock", "--recovery")
    type_secret(child, "Recovery code: ", "-".join(code).lower())
    child.expect("unlocked for 1[45] min")
    finish(child)


def stdin_carries_the_secret():
    """The passphrase is asked for on the terminal while stdin carries the secret."""
    child = start("init", "--no-recovery", DBUS_SESSION_BUS_ADDRESS=f"unix:path={home}/no-bus")
    type_secret(child, "New passphrase: ", "correct horse battery")
    type_secret(child, "Again: ", "correct horse battery")
    finish(child)
    assert plain("lock").returncode == 0
    line = f"printf piped | {vault} set piped --stdin"
    child = pexpect.spawn("/bin/sh", ["-c", line], env=environment, encoding="utf-8", timeout=300)
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
        "/bin/dash", ["-i"], env=dict(environment, PS1="ready> "), encoding="utf-8", timeout=300)
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
        # A secret that is there already is not set again.
        with open(key + ".text", "a") as file:
            file.write("x")
        # By the key: a test that locks all vaults of the user may run beside this one.
        child = start("set", "item", "--file", key + ".text", "--key-file", key)
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0, child.before
        return "there is only one way to unlock this vault" in child.before

    assert [set_one() for _ in range(20)] == ([False] * 9 + [True]) * 2
    # Nobody reads it elsewhere.
    assert b"only one" not in plain("set", "item", "--stdin", input=b"y").stderr
    assert plain("key", "add", "--new-key-file", key + "2").returncode == 0
    assert not any(set_one() for _ in range(10))


PEM = "-----BEGIN KEY-----\n" + "".join(f"line {n}\n" for n in range(26)) + "-----END KEY-----\n"
NO_BUS = {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={home}/no-bus"}


def pasted(text):
    """A paste as a terminal marks it: a newline is sent as a carriage return."""
    return "\x1b[200~" + text.replace("\n", "\r") + "\x1b[201~"


def paste():
    """All lines of a paste are taken, asked for once; unmarked, several lines are refused whole."""
    make_vault()
    child = start("set", "tls/key")
    child.expect("\x1b\\[\\?2004hSecret for tls/key: ")
    assert not echoes(child)
    child.send(pasted(PEM)[:-1])
    # The mark that ends it comes late, as over a slow line.
    child.send("~")
    child.expect("\\(28 lines\\)")
    child.send("\r")
    child.expect(r"\x1b\[\?2004l.*stored: \d+ bytes, 28 lines")
    finish(child)
    assert plain("get", "tls/key").stdout == PEM.encode()
    # One line: its end is no part of it, and a second paste would prove nothing.
    child = start("set", "token")
    type_secret(child, "Secret for token: ", pasted("s3cr3t\n"))
    finish(child)
    assert plain("get", "token").stdout == b"s3cr3t"
    # A text of Windows: carriage return and line feed are one newline.
    for text in ["one\r\ntwo\r\nthree", "one\rtwo\rthree", "one\ntwo\nthree"]:
        child = start("set", "windows")
        type_secret(child, "Secret for windows: ", "\x1b[200~" + text + "\x1b[201~")
        finish(child)
        assert plain("get", "windows").stdout == b"one\ntwo\nthree", text
    # What a key has changed is asked for again.
    child = start("set", "token")
    type_secret(child, "Secret for token: ", pasted("s3cr3ts") + "\x7f")
    type_secret(child, "Again: ", pasted("s3cr3t"))
    finish(child)
    # A paste can be erased, and what it holds does nothing to the terminal.
    child = start("set", "token")
    type_secret(child, "Secret for token: ", pasted("wrong\nlines\n") + "\x15" + pasted("a\tb\u00e9"))
    finish(child)
    assert plain("get", "token").stdout == "a\tb\u00e9".encode()
    for terminal in ["xterm", "dumb"]:
        child = start("set", "other", TERM=terminal)
        child.expect("Secret for other: ")
        assert ("2004" in child.before) == (terminal != "dumb"), child.before
        child.send(PEM.replace("\n", "\r"))
        child.expect("several lines were pasted")
        finish(child, 64)
    assert plain("get", "other").returncode == 1
    # A paste that is too long is not left for the shell.
    shell = pexpect.spawn(
        "/bin/sh", ["-i"], env=dict(environment, PS1="ready> "), encoding="utf-8", timeout=300)
    shell.expect("ready> ")
    shell.sendline(f"{vault} set other")
    shell.expect("Secret for other: ")
    # In one piece, as a terminal gives it: what comes a second later is for the shell.
    shell.send("x" * 33000 + "\recho left\r")
    shell.expect("longer than 32768 bytes")
    shell.expect("ready> ")
    shell.sendline("echo $((6 * 7))")
    shell.expect("42")
    assert "left" not in shell.before, shell.before
    # Neither are lines behind a passphrase, nor for the command that is run.
    with open(f"{home}/pw", "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write("correct horse battery\n")
    added = plain("key", "add", "--key-file", key, "--new-passphrase", f"file:{home}/pw")
    assert added.returncode == 0, added.stderr
    assert plain("lock").returncode == 0
    shell.sendline(f"{vault} run token -- sh -c 'read line; echo got-$line'")
    shell.expect("Passphrase: ")
    shell.send("correct horse battery\recho left\r")
    shell.expect("paste one line alone")
    shell.expect("ready> ")
    shell.sendline("echo $((6 * 7))")
    shell.expect("42")
    assert "left" not in shell.before and "got-" not in shell.before, shell.before


def interrupted_code():
    """Who gives up at the recovery code has the secret stored, and is told what the code is worth."""
    for name, key, status in [("one", "\x03", None), ("two", "\x04", 130)]:
        child = start("--vault", name, "set", "api-token", **NO_BUS)
        child.expect("Create one with a passphrase")
        child.send("\r")
        type_secret(child, f"New passphrase for vault '{name}': ", "correct horse battery")
        type_secret(child, "Again: ", "correct horse battery")
        type_secret(child, "Secret for api-token: ", "s3cr3t")
        type_secret(child, "Again: ", "s3cr3t")
        child.expect("stored: 6 bytes")
        child.expect("Create a recovery code")
        child.send("y\r")
        child.expect("Type group 2 of the code: ")
        child.send(key)
        child.expect("your change is stored. There is no recovery code: the one above opens nothing")
        child.expect("key add --recovery")
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == status, child.exitstatus
        assert plain("--vault", name, "get", "api-token").stdout == b"s3cr3t"
        assert b"recovery" not in plain("--vault", name, "key", "list").stdout
    # Another text each time is as good as giving up: the question ends.
    child = start("--vault", "four", "init", **NO_BUS)
    type_secret(child, "New passphrase for vault 'four': ", "correct horse battery")
    type_secret(child, "Again: ", "correct horse battery")
    child.expect("Create a recovery code")
    child.send("y\r")
    for left in ["2 tries left", "1 try left", "three times another text"]:
        child.expect("Type group 2 of the code: ")
        child.send("000000\r")
        child.expect(left)
    child.expect("There is no recovery code: the one above opens nothing|there is no recovery code")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130, child.exitstatus
    child = start("--vault", "three", "set", "api-token", **NO_BUS)
    child.expect("Create one with a passphrase")
    child.send("\r")
    type_secret(child, "New passphrase for vault 'three': ", "correct horse battery")
    type_secret(child, "Again: ", "correct horse battery")
    child.expect("Secret for api-token: ")
    child.send("\x03")
    child.expect("The vault is created; nothing is stored in it yet")
    child.expect(pexpect.EOF)
    child.close()
    assert child.signalstatus == signal.SIGINT


def typed_ahead():
    """From the first prompt to the last nothing that is typed is shown."""

    def prompt(child, question, answer):
        """Answers a prompt, and types on while the passphrase is tried."""
        # On a busy machine it may have come to the next prompt: ^U takes that back.
        type_secret(child, question, "\x15" + answer)
        child.expect("\r\n")
        assert not echoes(child), "echo is on behind the prompt"
        child.send("typed-too-early")

    child = start("set", "api-token", **NO_BUS)
    child.expect("Create one with a passphrase")
    child.send("\r")
    type_secret(child, "New passphrase: ", "correct horse battery")
    prompt(child, "Again: ", "correct horse battery")
    type_secret(child, "Secret for api-token: ", "\x15s3cr3t")
    assert "early" not in child.before, child.before
    type_secret(child, "Again: ", "s3cr3t")
    child.expect("stored: 6 bytes")
    assert "early" not in child.before, child.before
    child.expect("recovery code")
    # Here one sees what one types.
    assert echoes(child)
    child.send("n\r")
    finish(child)
    assert plain("get", "api-token").stdout == b"s3cr3t"

    def shell():
        assert plain("lock").returncode == 0
        shell = pexpect.spawn(
            "/bin/sh", ["-i"], env=dict(environment, PS1="ready> "), encoding="utf-8", timeout=300)
        shell.expect("ready> ")
        return shell

    def at_prompt(shell):
        """Types something wrong, and is behind the prompt."""
        shell.sendline(f"{vault} get api-token")
        prompt(shell, "Passphrase: ", "wrong one")

    def is_given_back(shell):
        shell.expect("ready> ")
        assert "early" not in shell.before, shell.before
        assert echoes(shell), "no echo in the shell"
        shell.sendline("echo $((6 * 7))")
        shell.expect("42\r\n")
        assert "early" not in shell.before, shell.before

    one = shell()
    at_prompt(one)
    type_secret(one, "Passphrase: ", "\x15correct horse battery")
    is_given_back(one)
    # A signal gives the terminal back, too, also while a passphrase is tried.
    for typed in ["\x03", "\x1c"]:
        one = shell()
        at_prompt(one)
        one.send(typed)
        is_given_back(one)
    # The program that is run has the terminal as it was.
    one = shell()
    one.sendline(f"{vault} run api-token -- stty -a")
    type_secret(one, "Passphrase: ", "correct horse battery")
    one.expect("[^-]echo ")
    is_given_back(one)


def forgotten():
    """Wrong three times: the recovery code is pointed at, if there is one; the prompt names the vault."""
    words = ["--vault", "work", "--no-keyring"]
    child = start(*words, "init", "--no-recovery", **NO_BUS)
    type_secret(child, "New passphrase for vault 'work': ", "correct horse battery")
    type_secret(child, "Again: ", "correct horse battery")
    finish(child)

    def fail():
        assert plain("--vault", "work", "lock").returncode == 0
        child = start(*words, "list")
        for left in ["2 tries", "1 try", None]:
            type_secret(child, "Passphrase for vault 'work': ", "wrong one")
            if left:
                child.expect(f"Wrong passphrase. {left} left")
        finish(child, 77)
        return child.before

    assert "unlock --recovery" not in fail()
    passphrase = {"P": "correct horse battery"}
    child = start(*words, "--passphrase", "env:P", "key", "add", "--recovery", "--json", **passphrase)
    child.expect('"recoveryCode": "([0-9A-Z-]{41})"')
    code = child.match.group(1)
    finish(child)
    assert "unlock --recovery, then vault key change-passphrase" in fail()
    child = start(*words, "unlock", "--recovery")
    type_secret(child, "Recovery code for vault 'work': ", code)
    finish(child)
    # The default vault is named where there are others.
    child = start("--no-keyring", "init", "--no-recovery", **NO_BUS)
    type_secret(child, "New passphrase for the default vault: ", "correct horse battery")
    child.send("\x03")


def wrapped():
    """Errors and notes are broken at blanks, not inside words."""
    make_vault()
    child = pexpect.spawn(
        vault, ["get", "missing", "--vault", "other"], env=environment, encoding="utf-8",
        timeout=300, dimensions=(24, 40))
    child.expect(pexpect.EOF)
    lines = child.before.replace("\x1b[1;31m", "").replace("\x1b[0m", "").split("\r\n")
    assert len(lines) > 3, lines
    # A path is one word, however long.
    assert all(len(line) <= 40 or " " not in line.strip() for line in lines), lines
    assert lines[0].startswith("vault: error: there is no vault"), lines


def unasked():
    """A source on the line, -q or --json: nothing is asked."""
    for number, words in enumerate([[], ["-q"], ["--json"]]):
        child = start(
            "--vault", f"v{number}", "init", "--key-file", f"{key}{number}", *words, **NO_BUS)
        child.expect(pexpect.EOF)
        assert "[Y/n]" not in child.before, child.before
        assert ("key add --recovery" in child.before) == ("-q" not in words), child.before
        child.close()
        assert child.exitstatus == 0
    child = start("--vault", "v0", "--key-file", f"{key}0", "key", "add", "--recovery", "--json")
    child.expect('"recoveryCode": "[0-9A-Z-]{41}"')
    finish(child)


def purge():
    """On a terminal a removal for good is asked for, unless --yes says so."""
    make_vault()
    for text in [b"1", b"2", b"3"]:
        assert plain("set", "token", "--stdin", input=text).returncode == 0
    child = start("remove", "token", "--purge")
    child.expect("Purge 'token' and its 3 versions for good\\? \\[y/N\\]")
    child.send("\r")
    child.expect("nothing was changed")
    finish(child, 1)
    assert plain("get", "token").stdout == b"3"
    child = start("remove", "token", "--purge")
    child.expect("\\[y/N\\]")
    child.send("y\r")
    finish(child)
    assert plain("get", "token").returncode == 1
    for options in [["-y"], ["--yes"]]:
        assert plain("set", "token", "--stdin", input=b"1").returncode == 0
        child = start("remove", "token", "--purge", *options)
        finish(child)
    # Without a terminal there is nobody to ask.
    assert plain("set", "token", "--stdin", input=b"1").returncode == 0
    assert plain("remove", "token", "--purge", start_new_session=True).returncode == 0


def first_process():
    """The first process of a container ends by signals, which the kernel keeps from it."""
    make_vault()
    namespace = ["unshare", "--pid", "--fork", "--kill-child"]
    if os.geteuid():
        namespace += ["--user", "--map-root-user"]
    if subprocess.run([*namespace, "true"], capture_output=True, check=False).returncode:
        print("no namespace of processes can be made here")
        return
    for number, typed in [(signal.SIGINT, "\x03"), (signal.SIGTERM, None)]:
        child = pexpect.spawn(
            namespace[0], [*namespace[1:], vault, "set", "item"], env=environment,
            encoding="utf-8", timeout=300, echo=True, dimensions=(24, 200))
        child.expect("Secret for item: ")
        assert not echoes(child)
        if typed:
            child.send(typed)
        else:
            with open(f"/proc/{child.pid}/task/{child.pid}/children") as file:
                os.kill(int(file.read().split()[0]), number)
        child.expect(pexpect.EOF)
        assert echoes(child), f"no echo after {number}"
        child.close()
        ended = {child.exitstatus, child.signalstatus}
        assert ended & {128 + number, number}, (number, ended)
    assert plain("list").stdout == b""


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
    "forgotten": forgotten, "ahead": typed_ahead, "wrapped": wrapped, "paste": paste, "code": interrupted_code, "unasked": unasked, "purge": purge,
    "signals": signals, "first-process": first_process, "stop": stop, "screen": screen, "reminder": reminder,
}[case]()
