"""`vault run --mask` on a real terminal. Usage: mask.py CASE VAULT HOME"""
import base64
import fcntl
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import time

import pexpect

signal.pthread_sigmask(signal.SIG_SETMASK, [])
case, vault, home = sys.argv[1:4]
CANARY = "canary/Secret+1234-\"x'y z"
MASK = "<redacted>"
environment = {
    "HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "xterm", "LC_ALL": "C.UTF-8",
    "VAULT_KEY_FILE": f"{home}/key", "NO_COLOR": "1", "GIT_CONFIG_NOSYSTEM": "1",
}


def plain(*words, **options):
    done = subprocess.run([vault, *words], env=environment, capture_output=True, check=False, **options)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


def spawn(program, words, **more):
    return pexpect.spawn(
        program, words, env={**environment, **more}, cwd=home, encoding="utf-8", timeout=300,
        dimensions=(24, 80))


def masked(*words, **more):
    return spawn(vault, ["run", "token", "--mask", "--", *words], **more)


def finish(child, status=0):
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == status, (child.exitstatus, child.signalstatus, child.before)
    assert CANARY not in child.before, child.before
    return child.before


def shell():
    """A shell with job control, as a person has it."""
    with open(f"{home}/inputrc", "w") as file:
        file.write("set enable-bracketed-paste off\n")
    child = spawn("/bin/bash", ["--norc", "--noprofile", "-i"], PS1="READY> ", INPUTRC=f"{home}/inputrc")
    child.expect_exact("READY> ")
    return child


def line(child, text):
    child.sendline(text)
    child.expect_exact("\r\nREADY> ")
    return child.before.split("\r\n", 1)[1] if "\r\n" in child.before else ""


def running():
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/environ", "rb") as file:
                    text = file.read()
                with open(f"/proc/{entry}/stat") as file:
                    state = file.read().rsplit(")", 1)[1].split()[0]
            except OSError:
                continue
            if f"HOME={home}".encode() in text and int(entry) != os.getpid():
                found.append((int(entry), state))
    return found


def until(condition):
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen")


plain("init", "--key-file", f"{home}/key")
plain("set", "token", "--stdin", "--exact", input=CANARY.encode())


def case_terminal():
    text = finish(masked("sh", "-c", "test -t 0 && test -t 1 && test -t 2 && tty && echo $TOKEN"))
    assert "/dev/pts/" in text and MASK in text, text
    text = finish(masked("python3", "-c", "import os; os.write(1, os.environ['TOKEN'].encode()[:9]);"
                         "os.write(1, b'\\x1b[31m'); os.write(2, os.environ['TOKEN'].encode()[9:])"))
    assert text == MASK + "\x1b[31m", repr(text)
    # What is read from the terminal is echoed by it, and masked.
    child = masked("sh", "-c", "printf 'name: '; read name; echo \"you: $name\"; stty -a")
    child.expect_exact("name: ")
    child.sendline("somebody")
    child.expect_exact("somebody\r\n")
    child.expect_exact("you: somebody\r\n")
    text = finish(child)
    assert "rows 24; columns 80" in text and " echo " in text, text
    child = masked("sh", "-c", "printf 'name: '; read name; echo done")
    child.expect_exact("name: ")
    child.sendline(CANARY)
    text = finish(child)
    assert MASK in text and "done" in text, text
    # A secret that is not ended is not shown, whatever the pause.
    child = masked("sh", "-c", "printf %s 'canary/Secre'; read x")
    child.expect_exact("cana")
    assert child.expect(["r", pexpect.TIMEOUT], timeout=1) == 1
    child.sendline("")
    text = child.after if isinstance(child.after, str) else ""
    text += finish(child)
    assert "ry/Secre" in text, text


def case_programs():
    with open(f"{home}/notes.txt", "w") as file:
        file.write(f"first\ntoken={CANARY}\nlast\n" + "more\n" * 100)
    if shutil.which("vim"):
        child = masked("vim", "-u", "NONE", "-i", "NONE", "notes.txt")
        child.expect_exact("last")
        assert CANARY not in child.before and MASK in child.before, child.before
        child.send(":set nowrap\r")
        child.send("\x07")
        child.send(":q!\r")
        finish(child)
    else:
        print("vim is not installed", file=sys.stderr)
    if shutil.which("less"):
        child = masked("less", "notes.txt", LESS="")
        child.expect_exact("last")
        assert CANARY not in child.before and MASK in child.before, child.before
        child.send("/Secret\r")
        child.send("q")
        finish(child)
    if shutil.which("git"):
        for words in (["init", "-q"], ["add", "notes.txt"],
                      ["-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qm", CANARY]):
            subprocess.run(["git", *words], cwd=home, env=environment, check=True)
        text = finish(masked("git", "-c", "core.pager=cat", "-c", "color.ui=always", "show"))
        assert text.count(MASK) == 2, text
    text = finish(masked(
        "python3", "-c",
        "import os, sys, time, json, base64, urllib.parse, shlex; t = os.environ['TOKEN']\n"
        "print(t, repr(t), json.dumps(t), base64.b64encode(t.encode()), t.encode().hex(),"
        " urllib.parse.quote(t), shlex.quote(t), sep='|')\n"
        "for n in range(5):\n"
        "  sys.stdout.write('\\r%3d %% ' % (n * 25) + t); sys.stdout.flush(); time.sleep(0.05)\n"
        "print()"))
    assert text.count(MASK) == 12, text
    if shutil.which("ssh"):
        # What ssh starts writes to its stderr, before ssh has its answer; no server is needed.
        with open(f"{home}/proxy.sh", "w") as file:
            file.write("printenv TOKEN >&2\nread line\n")
        text = finish(masked("ssh", "-F", "/dev/null", "-o", f"ProxyCommand=sh '{home}/proxy.sh'", "host"), 255)
        assert MASK in text, text
    else:
        print("ssh is not installed", file=sys.stderr)


def case_sshd():
    """A real server on loopback; the words go to it as they are, and come back in all forms."""
    def file(name):
        return f"{home}/{name}"
    for name in ("host", "client"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file(name)], check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with open(file("sshd_config"), "w") as config:
        config.write(
            f"Port {port}\nListenAddress 127.0.0.1\nHostKey {file('host')}\nAuthorizedKeysFile {file('client.pub')}\n"
            "StrictModes no\nUsePAM no\nPidFile none\n")
    server = subprocess.Popen([os.environ["TEST_SSHD"], "-D", "-e", "-f", file("sshd_config")], stderr=subprocess.DEVNULL)
    try:
        while True:
            assert server.poll() is None, "sshd has ended"
            try:
                socket.create_connection(("127.0.0.1", port), 5).close()
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
        remote = "read -r t; printf '%s\\n' \"$t\"; printf %s \"$t\" | base64; printf %s \"$t\" | od -An -tx1 -w64; echo away"
        options = ["-F", "/dev/null", "-i", file("client"), "-p", str(port), "-o", "StrictHostKeyChecking=no",
                   "-o", f"UserKnownHostsFile={file('known')}", "-o", "LogLevel=ERROR", "127.0.0.1", remote]
        words = " ".join(f"'{word}'" if "'" not in word else '"$REMOTE"' for word in options)
        # Without a terminal of its own: only root's sshd may give one away.
        text = finish(masked("sh", "-c", f"printf '%s\\n' \"$TOKEN\" | ssh -T {words}", REMOTE=remote))
        assert text.count(MASK) == 3 and "away" in text, text
        assert base64.b64encode(CANARY.encode()).decode()[:12] not in text, text
    finally:
        server.kill()
        server.wait()


def case_log():
    # A secret at every place of a chunk: the sizes of reads cannot be known, so every one is tried.
    program = (
        "import os, sys\nt = os.environ['TOKEN'].encode(); n = 0\n"
        "while n < 10 << 20:\n"
        "  block = b'.' * (4096 - len(t) // 2 - n % 7) + t + b'\\n'\n"
        "  sys.stdout.buffer.write(block); n += len(block)\n")
    with open(f"{home}/made.py", "w") as file:
        file.write(program)
    expected = 0
    size = 0
    while size < 10 << 20:
        size += 4096 - len(CANARY) // 2 - size % 7 + len(CANARY) + 1
        expected += 1
    text = plain("run", "token", "--mask", "--", "python3", f"{home}/made.py")
    assert CANARY.encode() not in text
    assert text.count(MASK.encode()) == expected, (text.count(MASK.encode()), expected)
    # On a busy machine a writer pauses in the middle of a secret, and four bytes are shown.
    text = re.sub(b"cana?" + MASK.encode(), MASK.encode(), re.sub(b"ca?" + MASK.encode(), MASK.encode(), text))
    assert len(text) == size + expected * (len(MASK) - len(CANARY)), len(text)
    child = masked("python3", f"{home}/made.py")
    parts = []
    try:
        while part := os.read(child.child_fd, 1 << 16):
            parts.append(part)
    except OSError:
        pass
    child.close()
    text = b"".join(parts).decode()
    assert CANARY not in text
    assert text.count(MASK) == expected, (text.count(MASK), expected)


def case_statuses():
    for status in range(256):
        done = subprocess.run([vault, "run", "token", "--mask", "--", "sh", "-c", f"exit {status}"],
                              env=environment, capture_output=True, check=False)
        assert done.returncode == status, (status, done.returncode)
    for status in (0, 1, 7, 126, 127, 128, 255):
        finish(masked("sh", "-c", f"exit {status}"), status)
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
        done = subprocess.run([vault, "run", "token", "--mask", "--", "sh", "-c", f"kill -{int(number)} $$"],
                              env=environment, capture_output=True, check=False)
        assert done.returncode == -number, (number, done.returncode)
        child = masked("sh", "-c", f"kill -{int(number)} $$")
        child.expect(pexpect.EOF)
        child.close()
        assert child.signalstatus == number, (number, child.exitstatus, child.signalstatus)
    child = masked("./nowhere")
    child.expect_exact("does not exist")
    finish(child, 127)
    # A signal for the command reaches it.
    child = masked("sh", "-c", "trap 'echo told; exit 9' TERM; echo ready; while :; do sleep 0.1; done")
    child.expect_exact("ready")
    os.kill(child.pid, signal.SIGTERM)
    assert "told" in finish(child, 9)


def case_jobs():
    child = shell()
    before = line(child, "stty -a")
    run = f"'{vault}' run token --mask --"
    # ^C ends the command, and the terminal is as it was.
    child.sendline(f"{run} sh -c 'echo go; sleep 100'")
    child.expect_exact("go\r\n")
    child.send("\x03")
    child.expect_exact("READY> ")
    assert "130" in line(child, "echo $?")
    assert line(child, "stty -a") == before
    # ^Z and fg.
    child.sendline(f"{run} sh -c 'echo go; read x; echo \"got $x\"; exit 5'")
    child.expect_exact("go\r\n")
    child.send("\x1a")
    child.expect_exact("Stopped")
    child.expect_exact("READY> ")
    assert line(child, "stty -a") == before
    child.sendline("fg")
    child.sendline("hello")
    child.expect_exact("got hello")
    child.expect_exact("READY> ")
    assert "5" in line(child, "echo $?")
    assert line(child, "stty -a") == before
    # The command is killed in the raw mode.
    child.sendline(f"{run} sh -c 'stty raw -echo; echo go; kill -9 $$'")
    child.expect_exact("READY> ")
    assert line(child, "stty -a") == before
    child.sendline("exit")
    child.expect(pexpect.EOF)


def case_window():
    # Without a trap for INT, bash goes on if the sleep that it waits for has just ended by itself.
    child = masked(
        "bash", "-c",
        "trap 'stty size' WINCH; trap exit INT; echo ready; while :; do sleep 0.1; done")
    child.expect_exact("ready")
    child.setwinsize(40, 132)
    child.expect_exact("40 132")
    child.send("\x03")
    child.expect(pexpect.EOF)
    # stdin is no terminal: the pseudo-terminal is for output alone, and has the size as well.
    child = spawn("/bin/sh", ["-c", f"exec '{vault}' run token --mask -- python3 -c '"
                  "import os,signal,time\n"
                  "signal.signal(signal.SIGWINCH, lambda *a: os.write(1, str(os.get_terminal_size(1)).encode()))\n"
                  "print(\"ready\", os.get_terminal_size(1), flush=True)\n"
                  "for _ in range(600): time.sleep(0.1)' </dev/null"])
    child.expect_exact("lines=24")
    child.setwinsize(33, 99)
    child.expect_exact("lines=33")
    child.send("\x03")
    child.expect(pexpect.EOF)


def case_streams():
    # What is a file stays apart.
    child = spawn("/bin/sh", ["-c", f"'{vault}' run token --mask -- sh -c 'test -t 2 && echo $TOKEN; "
                  "test -t 1 || echo err $TOKEN >&2' > out.txt"])
    text = finish(child)
    assert f"err {MASK}" in text, text
    with open(f"{home}/out.txt") as file:
        assert file.read() == MASK + "\n"
    # In one pipe, the order stays.
    done = subprocess.run(
        [vault, "run", "token", "--mask", "--", "sh", "-c",
         "for n in 1 2 3 4 5; do echo o$n; echo e$n >&2; done"],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.stdout.decode().split() == [f"{k}{n}" for n in range(1, 6) for k in "oe"], done.stdout
    # A reader that goes ends a writer that goes on.
    done = subprocess.run(
        ["/bin/bash", "-c", f"'{vault}' run token --mask -- yes | head -n 1; echo ${{PIPESTATUS[0]}}"],
        env=environment, capture_output=True, check=False, timeout=300)
    assert done.stdout.decode().split() == ["y", "141"], done.stdout
    done = subprocess.run(
        [vault, "run", "token", "--mask", "--", "cat"], env=environment, input=b"in \xff\xfe\n",
        capture_output=True, check=False)
    assert done.stdout == b"in \xff\xfe\n", done.stdout
    with open(f"{home}/.env", "w") as file:
        file.write("A=secret://token\nB=plain-text-here\n")
    done = subprocess.run(
        [vault, "run", "--env-file", f"{home}/.env", "--mask", "--", "sh", "-c", 'echo "$A $B"'],
        env=environment, capture_output=True, check=False)
    assert done.stdout.decode() == f"{MASK} plain-text-here\n", done


def case_lost():
    """Without memory to mask what the command writes, that is said, and nothing comes unmasked."""
    subprocess.run(["cc", "-shared", "-fPIC", "-o", f"{home}/no_memory.so", os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "no_memory.c"), "-ldl"], check=True)
    more = {"LD_PRELOAD": f"{home}/no_memory.so", "TEST_NO_MEMORY": f"{home}/none"}
    secret = os.urandom(60_000).hex()
    plain("set", "long", "--stdin", input=secret.encode())
    with open(f"{home}/long", "w") as file:
        file.write(secret[:-10])
    script = "echo begin; : >started; until [ -e go ]; do sleep 0.01; done; cat long long; exit 3"
    for leaves_room in (False, True):
        for file in ("started", "go", "none"):
            if os.path.exists(f"{home}/{file}"):
                os.remove(f"{home}/{file}")
        run = subprocess.Popen(
            [vault, "run", "long", "--mask", "--", "/bin/sh", "-c", script], env={**environment, **more}, cwd=home,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        until(lambda: os.path.exists(f"{home}/started"))
        for file in ("go",) if leaves_room else ("none", "go"):
            open(f"{home}/{file}", "w").close()
        out, errors = run.communicate(timeout=300)
        assert out.startswith(b"begin\n"), out[:100]
        if leaves_room:
            assert run.returncode == 3, (run.returncode, errors)
        else:
            assert run.returncode == 74 and b"no memory to mask" in errors, (run.returncode, errors)
            for place in range(0, len(secret) - 100, 10_000):
                assert secret[place:place + 40].encode() not in out, place


def case_killed():
    for victim in ("vault", "command", "leader"):
        child = masked("sh", "-c", "echo $$ $PPID; sleep 1000")
        child.expect(r"(\d+) (\d+)\r")
        command, leader = int(child.match[1]), int(child.match[2])
        os.kill({"vault": child.pid, "command": command, "leader": leader}[victim], signal.SIGKILL)
        child.expect(pexpect.EOF)
        child.close()
        assert child.signalstatus == signal.SIGKILL, (victim, child.exitstatus, child.signalstatus)
        until(lambda: not os.path.exists(f"/proc/{command}"))
        until(lambda: not os.path.exists(f"/proc/{leader}"))


{name[5:]: body for name, body in list(globals().items()) if name.startswith("case_")}[case]()
