"""Copies to real clipboards. Usage: clipboard.py x11|xsel|wayland|terminal|tmux|screen VAULT HOME"""
import base64
import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import pexpect

signal.pthread_sigmask(signal.SIG_SETMASK, [])
case, vault, home = sys.argv[1:4]
# Detached processes become children of this one, so that it can wait for their end.
PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
# Not below /tmp, because wl-copy gets a /tmp of its own.
runtime = tempfile.mkdtemp(prefix="vault-test-", dir="/dev/shm")
environment = {
    "HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "xterm-256color",
    "LC_ALL": "C.UTF-8", "VAULT_KEY_FILE": f"{home}/key", "XDG_RUNTIME_DIR": runtime,
}
# The time limit for everything, in seconds: generous, for a machine that is busy with other things.
PATIENCE = 300
secret = "correct \u00fc horse"
encoded = base64.b64encode(secret.encode()).decode()
started = []


def run(*words, status=0, **options):
    done = subprocess.run(
        list(words), env=environment, capture_output=True, check=False, timeout=PATIENCE, **options)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    assert secret.encode() not in done.stderr
    return done.stdout


def until(what, condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.02)


def children():
    """Our child processes with their command lines."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
            with open(f"/proc/{name}/cmdline", "rb") as file:
                line = file.read().replace(b"\0", b" ").decode(errors="replace")
        except (OSError, IndexError):
            continue
        if parent == os.getpid() and line:
            found[int(name)] = line
    return found


def waiting():
    """The processes that wait to clear the clipboard."""
    return [number for number, line in children().items() if "__clear-clipboard" in line]


def all_done():
    def reaped():
        for number in children():
            try:
                os.waitpid(number, os.WNOHANG)
            except ChildProcessError:
                pass
        return not waiting()
    until("the clearing process ends", reaped)


def close(child):
    """Closes a terminal and waits for the end of its process, which pexpect does for a tenth of a second only."""
    try:
        child.close(force=True)
    except pexpect.ExceptionPexpect:
        until("the process at the terminal ends", lambda: not child.isalive())


def copy(*more):
    shown = run(vault, "get", "k", "--copy", "--json", *more)
    assert secret.encode() not in shown
    return shown.decode()


def seen_in_time(what, start, condition):
    """Copies something for a while and sees it there; if it was cleared before that, copies it for longer."""
    seconds = 2
    while True:
        start(f"{seconds}s")
        while waiting():
            if condition():
                return
            time.sleep(0.02)
        all_done()
        seconds *= 2
        assert seconds < PATIENCE, f"never: {what}"


def before_it_is_cleared(what, act):
    """Copies the secret for a while and calls act well before the time is over.

    What happens in the moment when the clipboard is being cleared proves nothing: if the machine was too busy
    to be done in half of the time, it does both again with more time.
    """
    seconds = 2
    while True:
        start = time.monotonic()
        copy("--clear-after", f"{seconds}s")
        act()
        if time.monotonic() - start < seconds / 2:
            return
        all_done()
        seconds *= 2
        assert seconds < PATIENCE, f"never in time: {what}"


def display(read, write, name, on_disk):
    """The same expectations for every display, whichever program owns its clipboard."""
    def held():
        try:
            done = subprocess.run(read, env=environment, capture_output=True, check=False, timeout=10)
        except subprocess.TimeoutExpired:
            # xsel waits forever for the answer of an owner that has just gone.
            return ""
        return done.stdout.decode() if done.returncode == 0 else ""

    def copied(time_left):
        assert f'"clipboard": "{name}"' in copy("--clear-after", time_left)
    # xsel returns before it owns the selection.
    seen_in_time("the secret is there", copied, lambda: held() == secret)
    for number, line in children().items():
        assert secret not in line and encoded not in line, line
    all_done()
    until("the clipboard is clear", lambda: held() == "")
    # A text that was copied later stays.
    def write_later():
        subprocess.run(
            write, env=environment, input=b"later", stdout=subprocess.DEVNULL, check=True, timeout=PATIENCE)
        until("the later text is there", lambda: held() == "later")
    before_it_is_cleared("the later text", write_later)
    all_done()
    until("the later text is still there", lambda: held() == "later")
    # A one-time code is copied in the same way, and not shown.
    run(vault, "set", "seed", "--otp", "--stdin", input=b"JBSWY3DPEHPK3PXP")
    def code(time_left):
        shown = run(vault, "otp", "seed", "--copy", "--clear-after", time_left, "--json").decode()
        assert f'"clipboard": "{name}"' in shown and '"code"' not in shown, shown
    seen_in_time("the code is there", code, lambda: re.fullmatch(r"\d{6}", held()))
    all_done()
    # The time of a second copy counts, and a copy without a time stays.
    def copy_for_good():
        assert '"clearsAfter": null' in copy("--clear-after", "0")
    before_it_is_cleared("the second copy", copy_for_good)
    all_done()
    until("the second copy is still there", lambda: held() == secret)
    # The vault's setting.
    run(vault, "settings", "clipboard", "7m")
    assert '"clearsAfter": 420' in copy()
    assert len(waiting()) == 1
    told = subprocess.run(
        [vault, "get", "k", "-c", "--clear-after", "1s"], env=environment, capture_output=True,
        check=True)
    assert told.stdout == b"" and b"copied; cleared in 1 s" in told.stderr, told
    assert not on_disk(), on_disk()


def x11(program):
    if program == "xsel":
        # Only xsel is there.
        folder = os.path.join(home, "bin")
        os.mkdir(folder)
        os.symlink(shutil.which("xsel"), f"{folder}/xsel")
        environment["PATH"] = folder
    down, up = os.pipe()
    started.append(subprocess.Popen(
        ["/usr/bin/Xvfb", "-displayfd", str(up), "-nolisten", "tcp", "-screen", "0", "64x64x24"],
        pass_fds=[up], stderr=subprocess.DEVNULL))
    os.close(up)
    environment["DISPLAY"] = ":" + os.read(down, 16).decode().strip()
    if program == "xsel":
        display(["xsel", "-b", "-o"], ["xsel", "-b", "-i"], "x11", list)
    else:
        display(
            ["xclip", "-sel", "c", "-o"], ["xclip", "-sel", "c", "-i"], "x11", list)
    # There is nothing but a display that does not exist.
    environment["DISPLAY"] = ":4711"
    run(vault, "get", "k", "--copy", status=69, start_new_session=True)


def wayland():
    folder = f"{runtime}/sway"
    os.mkdir(folder, 0o700)
    with open(f"{folder}/config", "w", encoding="utf-8") as file:
        file.write("xwayland disable\n")
    line = ["sway", "-c", f"{folder}/config"]
    if os.geteuid() == 0:  # sway refuses to be root.
        os.chmod(runtime, 0o711)
        shutil.chown(folder, 65534, 65534)
        line = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] + line
    started.append(subprocess.Popen(
        line, env=dict(
            environment, HOME=folder, XDG_RUNTIME_DIR=folder, WLR_BACKENDS="headless",
            WLR_LIBINPUT_NO_DEVICES="1", WLR_RENDERER="pixman"),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def sockets():
        return [name for name in os.listdir(folder) if re.fullmatch(r"wayland-\d+", name)]
    until("sway is there", sockets)
    environment["WAYLAND_DISPLAY"] = f"{folder}/{sockets()[0]}"

    def left_on_disk():
        """The files that wl-copy keeps in the real /tmp while it serves."""
        held = []
        for name in os.listdir("/tmp"):
            path = f"/tmp/{name}/stdin"
            if not name.startswith("wl-copy-buffer-"):
                continue
            try:
                with open(path, encoding="utf-8", errors="replace") as file:
                    held += [path] if secret in file.read() else []
            except FileNotFoundError:
                pass
        return held

    display(["wl-paste", "-n"], ["wl-copy"], "wayland", left_on_disk)


def terminal():
    shell = pexpect.spawn(
        "/bin/sh", env=dict(environment, PS1="ready> "), timeout=PATIENCE, dimensions=(24, 200))
    shell.expect_exact("ready> ")
    shell.send(f"{vault} get k --copy --clear-after 1s\r")
    shell.expect_exact(f"\x1b]52;c;{encoded}\x07")
    shell.expect_exact("copied through the terminal, which confirms nothing")
    shell.expect_exact("\x1b]52;c;\x07")
    all_done()
    # The end of the terminal ends the wait.
    shell.send(f"{vault} get k -c --clear-after 1h\r")
    shell.expect_exact(f"\x1b]52;c;{encoded}\x07")
    until("the process waits", waiting)
    close(shell)
    all_done()
    # A console has no clipboard, and a secret that is too long for a terminal is not sent.
    child = pexpect.spawn(vault, ["get", "k", "-c"], env=dict(environment, TERM="linux"), timeout=PATIENCE)
    child.expect_exact("no clipboard is available")
    child.expect(pexpect.EOF)
    child.wait()
    close(child)
    assert child.exitstatus == 69
    run(vault, "set", "long", "--stdin", input=b"x" * 80_000)
    child = pexpect.spawn(vault, ["get", "long", "-c"], env=environment, timeout=PATIENCE)
    child.expect_exact("has 80000 bytes, and a terminal's clipboard takes 74994")
    child.expect(pexpect.EOF)
    child.wait()
    close(child)
    assert child.exitstatus == 73
    # Without a terminal and a display there is none.
    run(vault, "get", "k", "--copy", status=69, start_new_session=True)


def multiplexer(line, end):
    """Copies inside tmux or screen and reads what arrives at the terminal around them."""
    shell = pexpect.spawn(
        line[0], line[1:], env=environment, timeout=PATIENCE, dimensions=(24, 200))
    shell.expect_exact("ready> ")
    shell.send(f"{vault} get k --copy --clear-after 1s\r")
    shell.expect("\x1b\\]52;c?;" + re.escape(encoded) + "\x07")
    shell.expect("\x1b\\]52;c;\x07")
    # Longer than one device control string of screen.
    run(vault, "set", "k", "--stdin", input=b"0123456789" * 400)
    shell.send(f"{vault} get k --copy --clear-after 0\r")
    shell.expect(
        "\x1b\\]52;c?;" + base64.b64encode(b"0123456789" * 400).decode() + "\x07")
    end()
    close(shell)


def tmux():
    environment["TMUX_TMPDIR"] = runtime

    def end():
        assert run("tmux", "list-buffers") == b""
        run("tmux", "kill-server")
    with open(f"{runtime}/shell", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nPS1='ready> ' exec /bin/sh\n")
    os.chmod(f"{runtime}/shell", 0o700)
    multiplexer(["tmux", "-f", "/dev/null", "new-session", f"{runtime}/shell"], end)


def screen():
    environment["SCREENDIR"] = runtime
    environment["PS1"] = "ready> "
    name = f"vault-test-{os.getpid()}"
    multiplexer(
        ["screen", "-c", "/dev/null", "-S", name, "/bin/sh"],
        lambda: run("screen", "-S", name, "-X", "quit"))


try:
    run(vault, "init", "--key-file", f"{home}/key")
    run(vault, "set", "k", "--stdin", "--exact", input=secret.encode())
    {"x11": lambda: x11("xclip"), "xsel": lambda: x11("xsel"), "wayland": wayland,
     "terminal": terminal, "tmux": tmux, "screen": screen}[case]()
finally:
    for process in started:
        process.kill()
        process.wait()
    for number in children():
        os.kill(number, signal.SIGKILL)
    shutil.rmtree(runtime, ignore_errors=True)
