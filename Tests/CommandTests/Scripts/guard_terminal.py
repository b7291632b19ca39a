"""guard_terminal.py VAULT FOLDER HOME: a command behind the wall, at a terminal of its own."""

import os
import signal
import sys

import pexpect

vault, folder, home = sys.argv[1:]
# A test's threads block signals, and so would what they start.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
with open(folder + "/type.py", "w") as script:
    script.write("""
import fcntl, sys
for request in [0x5412, 0x5412 | 1 << 32, 0x541C, 0x541C | 1 << 32]:
    try:
        import ctypes
        text = ctypes.create_string_buffer(b"\\x03echo typed\\n")
        libc = ctypes.CDLL(None, use_errno=True)
        result = libc.ioctl(0, ctypes.c_ulong(request), text)
        print("done" if result == 0 else "refused", ctypes.get_errno())
    except OSError as error:
        print("refused", error.errno)
""")
shell = pexpect.spawn(
    "/bin/bash", ["--norc", "--noprofile", "-i"], cwd=folder, timeout=120, encoding="utf-8", dimensions=(33, 77),
    env={"HOME": home, "PATH": os.environ["PATH"], "TERM": "xterm", "PS1": "ready> "})
shell.logfile_read = sys.stderr


def run(line, *expected):
    shell.sendline(line)
    for text in expected:
        shell.expect(text)


shell.expect("ready> ")
run("%s -q guard -- /usr/bin/python3 type.py" % vault, *["refused 1\r\n"] * 4, "ready> ")
run("%s -q guard -- stty size" % vault, "33 77\r\n", "ready> ")
# Ctrl-Z stops it, the shell goes on, and so does it.
run("%s -q guard -- sh -c 'echo be''gun; sleep 31417'" % vault, "begun\r\n")
shell.sendcontrol("z")
shell.expect("Stopped.*ready> ")
run("fg", "guard")
shell.sendcontrol("c")
shell.expect("ready> ")
run("echo =$?=", "=130=\r\n", "ready> ")
run("%s -q guard -- sh -c 'kill -TERM $$'; echo =$?=" % vault, "=143=\r\n", "ready> ")
# What lives on in the background ends with the command.
run("%s -q guard -- sh -c 'sleep 31418 & echo le''ft'" % vault, "left\r\n", "ready> ")
run("pgrep -f '^sleep 3141[78]$' >/dev/null || echo no''body", "nobody\r\n", "ready> ")
shell.sendline("exit")
shell.expect(pexpect.EOF)
