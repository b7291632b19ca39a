"""The keyring's own prompt on a display, and a person at the terminal. Usage: keyring_prompt.py CASE VAULT PASSPHRASE

In a session of Tests/KeyringRig; a vault that the keyring and the passphrase open, with the item api-token, is below
$VAULT_HOME.
"""
import fcntl
import os
import signal
import subprocess
import sys
import termios
import time

import pexpect

# A test runner's threads block signals, and children inherit that.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
case, vault, passphrase = sys.argv[1:4]
SECRET = "s3cr3t-Canary"
WAITING = "The keyring is asking on the display. Press Return to cancel that and continue here. "
PROMPT = "Unlock Login Keyring"


def start(*words):
    return pexpect.spawn(
        vault, [*words, "--no-session"], env=dict(os.environ, TERM="xterm", NO_COLOR="1"), encoding="utf-8",
        timeout=300, echo=True)


def echoes(child):
    return bool(termios.tcgetattr(child.child_fd)[3] & termios.ECHO)


def finish(child, status=0):
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == status, (child.exitstatus, child.signalstatus, child.before)


def type_passphrase(child):
    child.expect("Passphrase: ")
    assert not echoes(child)
    child.send(passphrase + "\r")


def dismissed():
    """How often the tests' own service was told to take its prompt away."""
    with open(os.path.join(os.environ["HOME"], "service.log"), encoding="utf-8") as log:
        return log.read().count("dismissed")


def wait_until_read(child):
    """Until the program has taken what was typed."""
    terminal = os.open(os.readlink(f"/proc/{child.pid}/fd/0"), os.O_RDONLY | os.O_NOCTTY)
    try:
        until = time.monotonic() + 300
        while any(fcntl.ioctl(terminal, termios.FIONREAD, bytes(4))):
            assert time.monotonic() < until, "nobody reads what was typed"
            time.sleep(0.02)
    finally:
        os.close(terminal)


def give_up():
    """Return takes the prompt away, and the passphrase is asked for; no other key does, and none is shown."""
    child = start("get", "api-token")
    child.expect_exact(WAITING)
    assert not echoes(child), "what is typed into the wrong window shows"
    child.send("abc")
    wait_until_read(child)
    assert dismissed() == 0
    child.send("\r")
    type_passphrase(child)
    child.expect_exact(SECRET)
    assert "abc" not in child.before
    finish(child)
    assert dismissed() == 1
    child = start("set", "other")
    child.expect_exact(WAITING)
    child.send("\r")
    type_passphrase(child)
    for prompt in ["Secret for other: ", "Again: "]:
        child.expect(prompt)
        child.send("0ther-Canary\r")
    child.expect("still to be brought up to date")
    finish(child)
    assert dismissed() == 2


def interrupted():
    """^C ends it at once, with echo as before."""
    child = start("get", "api-token")
    child.expect_exact(WAITING)
    child.send("\x03")
    child.expect(pexpect.EOF)
    assert echoes(child), "no echo"
    child.close()
    assert child.signalstatus == signal.SIGINT, (child.exitstatus, child.signalstatus)
    assert SECRET not in child.before


def stopped():
    """Stopped by ^Z the shell has a terminal with echo; continued, it waits again, and says so."""
    shell = pexpect.spawn(
        "/bin/dash", ["-i"], env=dict(os.environ, PS1="ready> ", TERM="xterm", NO_COLOR="1"), encoding="utf-8",
        timeout=300)
    shell.expect("ready> ")
    shell.sendline(f"{vault} get api-token --no-session")
    shell.expect_exact(WAITING)
    shell.send("\x1a")
    shell.expect("ready> ")
    assert echoes(shell), "no echo while stopped"
    shell.sendline("fg")
    shell.expect_exact(WAITING)
    assert not echoes(shell), "echo after fg"
    shell.send("\r")
    type_passphrase(shell)
    shell.expect_exact(SECRET)
    shell.expect("ready> ")
    shell.sendline("exit")
    shell.expect(pexpect.EOF)


def prompt_dismissed():
    """A prompt that is dismissed on the display leads to the terminal too."""
    child = start("get", "api-token")
    type_passphrase(child)
    child.expect_exact(SECRET)
    finish(child)


def nothing_else():
    """Given up, and nothing else opens the vault: said, and nothing changed."""
    child = start("get", "api-token")
    child.expect_exact(WAITING)
    child.send("\r")
    child.expect("vault: error: the wait for the keyring's prompt was cancelled")
    child.expect("vault: hint: unlock the keyring: vault keyring unlock")
    finish(child, 77)


# With gcr's own prompter, and xdotool for the person at the display.


def windows():
    found = subprocess.run(
        ["xdotool", "search", "--onlyvisible", "--name", PROMPT], capture_output=True, check=False)
    return found.stdout.split()


def wait_for(is_there):
    until = time.monotonic() + 300
    while bool(windows()) != is_there:
        assert time.monotonic() < until, "no prompt" if is_there else "the prompt is still there"
        time.sleep(0.05)


def press(*keys):
    wait_for(True)
    # Keys that come after the focus are the window's: it reads both in their order.
    subprocess.run(["xdotool", "windowfocus", "--sync", windows()[0]], check=True)
    for key in keys:
        subprocess.run(["xdotool", *key], check=True)


def daemon():
    """The process of the keyring."""
    found = subprocess.run(
        ["dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/",
         "org.freedesktop.DBus.GetConnectionUnixProcessID", "string:org.freedesktop.secrets"],
        capture_output=True, check=True)
    return found.stdout.split()[-1]


def prompter():
    # Given up at the terminal. gnome-keyring aborts where it is told to take its window away: it stays, and the
    # keyring lives.
    before = daemon()
    child = start("get", "api-token")
    child.expect_exact(WAITING)
    wait_for(True)
    child.send("\r")
    type_passphrase(child)
    child.expect_exact(SECRET)
    finish(child)
    assert daemon() == before, "the keyring has ended"
    press(["key", "Escape"])
    wait_for(False)
    # Cancelled on the display.
    child = start("get", "api-token")
    child.expect_exact(WAITING)
    press(["key", "Escape"])
    type_passphrase(child)
    child.expect_exact(SECRET)
    finish(child)
    wait_for(False)
    # Answered on the display: nothing is asked here.
    child = start("get", "api-token")
    child.expect_exact(WAITING)
    press(["type", "test"], ["key", "Return"])
    child.expect_exact(SECRET)
    assert "Passphrase" not in child.before
    # The terminal is given back when everything is said.
    until = time.monotonic() + 300
    while not echoes(child):
        assert time.monotonic() < until, "the terminal echoes nothing"
        time.sleep(0.05)
    finish(child)
    assert daemon() == before, "the keyring has ended"


{
    "give-up": give_up, "interrupted": interrupted, "stopped": stopped, "dismissed": prompt_dismissed,
    "nothing-else": nothing_else, "prompter": prompter,
}[case]()
