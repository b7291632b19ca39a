"""Types into the snippet that asks. Usage: asking.py PROGRAM VAULT HOME"""
import os
import signal
import subprocess
import sys
import termios

import pexpect

# A test runner's threads block signals, and children inherit that.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
program, vault, home = sys.argv[1:4]
environment = {"HOME": home, "PATH": "/usr/bin:/bin", "TERM": "xterm", "LC_ALL": "C.UTF-8"}
passphrase = "correct horse battery staple"
made = subprocess.run(
    [vault, "init", "--passphrase", "env:P", "--no-recovery", "--no-session", "--no-keyring"],
    env=dict(environment, P=passphrase), capture_output=True, check=False)
assert made.returncode == 0, made.stderr

child = pexpect.spawn(program, env=environment, encoding="utf-8", timeout=300)


def type_secret(prompt, secret):
    child.expect_exact(prompt)
    assert not termios.tcgetattr(child.child_fd)[3] & termios.ECHO, "echo is on at the prompt"
    child.send(secret + "\r")


type_secret("Passphrase of the vault: ", passphrase)
type_secret("New token: ", "s3cr3t")
type_secret("Again: ", "s3cr3t")
child.expect_exact("stored 6 bytes")
assert "s3cr3t" not in child.before and passphrase not in child.before
child.expect(pexpect.EOF)
child.close()
assert child.exitstatus == 0, (child.exitstatus, child.signalstatus)

got = subprocess.run(
    [vault, "get", "api-token", "--passphrase", "env:P", "--no-session"],
    env=dict(environment, P=passphrase), capture_output=True, check=False)
assert got.stdout == b"s3cr3t", got.stderr
