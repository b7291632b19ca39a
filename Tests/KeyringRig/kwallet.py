"""kwallet.py: kwalletd5 as the keyring, with a wallet that is open.

It asks for a password in a window of its own, unless the login has handed it one: as PAM's module does, the wallet's key
comes by one descriptor and the session's variables by a socket. A daemon shows the wallets that were there when it
started, so the first one makes the wallet, and a second one serves it. Is replaced by that one.
"""

import os
import pathlib
import socket
import subprocess
import sys
import time

HOME = pathlib.Path(os.environ["HOME"])
KEY = os.urandom(56)
SOCKET = HOME / "run" / "kwallet.socket"
WALLET = HOME / ".local/share/kwalletd/kdewallet.kwl"

config = HOME / ".config"
config.mkdir(mode=0o700, exist_ok=True)
(config / "kwalletrc").write_text(
    "[Wallet]\nFirst Use=false\nEnabled=true\nDefault Wallet=kdewallet\nPrompt on Open=false\nUse One Wallet=true\n"
    "Close When Idle=false\nLeave Open=true\nLeave Manager Open=false\nLaunch Manager=false\n"
    "[org.freedesktop.secrets]\napiEnabled=true\n")
# No display: what would be a window is none.
os.environ.update(QT_QPA_PLATFORM="offscreen", PAM_KWALLET5_LOGIN=str(SOCKET), XDG_CONFIG_HOME=str(config))


def arguments():
    """Lays out what the login hands over: the program's arguments, and the socket's other end for its variables."""
    SOCKET.unlink(missing_ok=True)
    reading, writing = os.pipe()
    os.write(writing, KEY)
    os.close(writing)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(SOCKET))
    listener.listen(1)
    sender = socket.socket(socket.AF_UNIX)
    sender.connect(str(SOCKET))
    sender.sendall("".join(f"{name}={value}\n" for name, value in os.environ.items()).encode())
    sender.close()
    for end in (reading, listener.fileno()):
        os.set_inheritable(end, True)
    return ["kwalletd5", "--pam-login", str(reading), str(listener.detach())]


line = arguments()
first = subprocess.Popen(line, pass_fds=[int(end) for end in line[2:]])
for end in line[2:]:
    os.close(int(end))
while not (WALLET.exists() and WALLET.stat().st_size):
    if first.poll() is not None:
        sys.exit("kwalletd5 made no wallet")
    time.sleep(0.02)
first.terminate()
first.wait()
line = arguments()
os.execvp(line[0], line)
