#!/usr/bin/env python3
"""A person at a shell with job control, and `vault run --watch`: reading, stopping, going on, Ctrl-C."""

import os
import signal
import subprocess
import sys

import pexpect

# Whoever started this may have blocked signals, and a job inherits that.
signal.pthread_sigmask(signal.SIG_SETMASK, ())
command, home = sys.argv[1:]
environment = {
    "HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "xterm", "PS1": "$ ",
    "VAULT_KEY_FILE": f"{home}/key", "INPUTRC": "/dev/null", "HISTFILE": "",
}
script = f"{home}/reads.sh"
with open(script, "w") as file:
    file.write('#!/bin/sh\necho "ready $TOKEN"\nwhile read line; do echo "got $line"; done\n')
os.chmod(script, 0o700)


def change(value):
    subprocess.run(
        [command, "set", "token", "--stdin", "--no-keyring"], input=value.encode(), env=environment,
        check=True)


shell = pexpect.spawn(
    "bash", ["--norc", "--noprofile", "-i"], env=environment, cwd=home, encoding="utf8", timeout=300)
shell.delaybeforesend = 0.1
shell.expect(r"\$ ")
run = f"{command} run token --watch --settle 20ms --no-keyring"


shell.sendline(f"{run} -- {script}")
shell.expect("ready one")
shell.sendline("hello")
shell.expect("got hello")
# The terminal is the command's: a stop is one of both, and the shell has it meanwhile.
shell.sendcontrol("z")
shell.expect("Stopped")
shell.expect(r"\$ ")
change("two")
shell.sendline("fg")
shell.expect("ready two")
shell.sendline("again")
shell.expect("got again")
change("three")
shell.expect("ready three")
shell.sendline("more")
shell.expect("got more")
# Ctrl-C is an end, and no reason to start again.
shell.sendcontrol("c")
shell.expect(r"\$ ")
shell.sendline("echo status=$?")
shell.expect("status=130")
shell.expect(r"\$ ")
# Masked, on a terminal of its own.
shell.sendline(f"{run} --mask -- {script}")
shell.expect("ready")
change("four-and-longer")
shell.expect("ready <redacted>")
shell.sendcontrol("c")
shell.expect(r"\$ ")
# In a pipe of the shell the command still reads the terminal.
shell.sendline(f"{run} -- {script} | cat")
shell.expect("ready four")
shell.sendline("piped")
shell.expect("got piped")
shell.sendcontrol("c")
shell.expect(r"\$ ")
shell.sendline("exit")
shell.expect(pexpect.EOF)
