"""Reads the QR codes that the command draws. Usage: qr.py VAULT HOME"""
import os
import re
import signal
import subprocess
import sys

import pexpect

signal.pthread_sigmask(signal.SIG_SETMASK, [])
vault, home = sys.argv[1:3]
environment = {
    "HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "xterm", "LC_ALL": "C.UTF-8",
    "VAULT_KEY_FILE": f"{home}/key",
}
# The two modules above each other that a character draws; a light one is a block.
HALVES = {"█": (1, 1), "▀": (1, 0), "▄": (0, 1), " ": (0, 0)}
SCALE = 6


def run(*words, **options):
    return subprocess.run(
        [vault, *words], env=environment, capture_output=True, check=True, **options).stdout


def read(drawing):
    """What a scanner reads from a drawing in block characters."""
    rows = []
    for line in drawing.splitlines():
        halves = [HALVES[character] for character in line]
        if halves:
            rows += [[upper for upper, _ in halves], [lower for _, lower in halves]]
    width = max(map(len, rows))
    path = f"{home}/code.pgm"
    with open(path, "wb") as file:
        file.write(f"P5 {width * SCALE} {len(rows) * SCALE} 255\n".encode())
        for row in rows:
            line = b"".join(bytes([255 * light]) * SCALE for light in row + [1] * (width - len(row)))
            file.write(line * SCALE)
    scanned = subprocess.run(
        ["zbarimg", "--quiet", "--raw", "--nodbus", "-Sbinary", path], capture_output=True, check=False)
    assert scanned.returncode == 0, (scanned.stderr, drawing)
    return scanned.stdout


run("init", "--key-file", f"{home}/key", "--no-recovery")
for secret in [b"s3cr3t", b"otpauth://totp/Example:bob?secret=JBSWY3DPEHPK3PXP&issuer=Example", "pässwörd €".encode()]:
    run("set", "k", "--stdin", input=secret)
    assert read(run("get", "k", "--qr").decode()) == secret, secret
    assert read(run("show", "k", "--qr").decode()) == secret, secret
    # On a terminal it has colors of its own.
    child = pexpect.spawn(
        vault, ["get", "k", "--qr"], env=environment, encoding="utf-8", timeout=300, dimensions=(60, 120))
    child.expect(pexpect.EOF)
    drawn = re.sub(r"\x1b\[[0-9;]*m", "", child.before.replace("\r\n", "\n"))
    assert "\x1b[" in child.before and read(drawn) == secret, child.before
