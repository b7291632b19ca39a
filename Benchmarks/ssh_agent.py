#!/usr/bin/python3
"""ssh_agent.py BINARY: a signature by `vault ssh-agent` beside one by OpenSSH's ssh-agent.

Both serve the same keys, one of each kind, and sign by turns, over a connection each that stays open. Prints the median
and the 90th percentile in microseconds, and the ratio of the medians.
"""

import base64
import os
import pathlib
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROUNDS = int(os.environ.get("ROUNDS", "500"))
KINDS = [("ed25519", ["-t", "ed25519"], 0), ("ecdsa-p256", ["-t", "ecdsa", "-b", "256"], 0),
         ("rsa 3072", ["-t", "rsa", "-b", "3072"], 2)]


def string(data):
    return struct.pack(">I", len(data)) + data


class Agent:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))

    def sign(self, blob, number, flags):
        """The microseconds of one signature."""
        message = bytes([13]) + string(blob) + string(number.to_bytes(200, "big")) + struct.pack(">I", flags)
        begun = time.perf_counter_ns()
        self.socket.sendall(string(message))
        answer = b""
        while len(answer) < 4 or len(answer) < 4 + struct.unpack(">I", answer[:4])[0]:
            answer += self.socket.recv(65536)
        taken = (time.perf_counter_ns() - begun) / 1000
        assert answer[4] == 14, "no signature"
        return taken


def wait_for(path):
    while not path.exists():
        time.sleep(0.01)


def main(binary):
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        variables = {"HOME": folder, "PATH": os.environ["PATH"], "VAULT_KEY_FILE": f"{folder}/key", "LC_ALL": "C.UTF-8"}

        def do(*words, **more):
            return subprocess.run(words, check=True, capture_output=True, text=True, env={**variables, **more}).stdout

        do(binary, "init", "--key-file", f"{folder}/key", "--no-recovery", "-q")
        theirs = subprocess.Popen(["ssh-agent", "-D", "-a", f"{folder}/theirs"], stdout=subprocess.DEVNULL, env=variables)
        wait_for(home / "theirs")
        blobs = []
        for number, (_, options, _) in enumerate(KINDS):
            file = f"{folder}/id{number}"
            do("ssh-keygen", "-q", "-N", "", "-f", file, *options)
            do(binary, "-q", "ssh", "import", f"id{number}", file)
            do("ssh-add", "-q", file, SSH_AUTH_SOCK=f"{folder}/theirs")
            blobs.append(base64.b64decode(pathlib.Path(f"{file}.pub").read_text().split()[1]))
        ours = subprocess.Popen([binary, "ssh-agent", "--foreground", "--at", f"{folder}/ours"],
                                stdout=subprocess.DEVNULL, env=variables)
        wait_for(home / "ours")
        try:
            agents = {"vault": Agent(home / "ours"), "ssh-agent": Agent(home / "theirs")}
            print("| key | vault, µs (90 %) | ssh-agent, µs (90 %) | ratio |\n| --- | --- | --- | --- |")
            for (name, _, flags), blob in zip(KINDS, blobs):
                times = {agent: [] for agent in agents}
                for number in range(ROUNDS):
                    for agent in agents:
                        times[agent].append(agents[agent].sign(blob, number, flags))
                cells = [f"{statistics.median(t):.0f} ({sorted(t)[len(t) * 9 // 10]:.0f})" for t in times.values()]
                ratio = statistics.median(times["vault"]) / statistics.median(times["ssh-agent"])
                print(f"| {name} | {' | '.join(cells)} | {ratio:.2f} |")
            status = pathlib.Path(f"/proc/{ours.pid}/status").read_text()
            print("\nhelper:", next(line for line in status.splitlines() if line.startswith("VmRSS")))
        finally:
            for process in (ours, theirs):
                process.terminate()
                process.wait()


main(sys.argv[1])
