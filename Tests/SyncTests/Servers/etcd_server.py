#!/usr/bin/env python3
"""etcd servers for tests: etcd_server.py COUNT [users]; ends when stdin ends.

Writes a line: the folder, then the ports. Takes lines: `kill N`, `start N`, `leader`, and others for
etcdctl; answers each with one line.
"""
import os, shutil, signal, socket, subprocess, sys, tempfile, time
import certificates

count, has_users = int(sys.argv[1]), "users" in sys.argv
folder = tempfile.mkdtemp(prefix="vault-etcd-")


def free_ports(number):
    sockets = [socket.socket() for _ in range(number)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


ports = free_ports(2 * count)
clients, peers = ports[:count], ports[count:]
certificate, key = certificates.make(folder, names="DNS:localhost")
certificates.make(folder, "other")
servers = {}


def start(number):
    log = open(f"{folder}/log{number}", "ab")
    servers[number] = subprocess.Popen(
        ["etcd", "--name", f"n{number}", "--data-dir", f"{folder}/data{number}",
         "--listen-client-urls", f"https://127.0.0.1:{clients[number]}",
         "--advertise-client-urls", f"https://127.0.0.1:{clients[number]}",
         "--listen-peer-urls", f"http://127.0.0.1:{peers[number]}",
         "--initial-advertise-peer-urls", f"http://127.0.0.1:{peers[number]}",
         "--initial-cluster", ",".join(f"n{n}=http://127.0.0.1:{p}" for n, p in enumerate(peers)),
         "--cert-file", certificate, "--key-file", key,
         "--bcrypt-cost", "4", "--auth-token-ttl", "2",
         "--quota-backend-bytes", str((64 if has_users else 16) << 20), "--snapshot-count", "1000"],
        stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        env={"PATH": os.environ["PATH"], "ETCD_UNSUPPORTED_ARCH": os.uname().machine})


def ctl(*words, at=None):
    ends = ",".join(f"https://localhost:{p}" for p in ([clients[at]] if at is not None else clients))
    user = ["--user", "root:r"] if has_users and users_are_on else []
    done = subprocess.run(
        ["etcdctl", "--endpoints", ends, "--cacert", certificate, *user, *words],
        capture_output=True, text=True,
        env={"PATH": os.environ["PATH"], "ETCDCTL_API": "3"}, timeout=300)
    return (done.stdout + done.stderr).strip().replace("\n", " | ")


def end(*_):
    for server in servers.values():
        server.kill()
        server.wait()
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit(0)


signal.signal(signal.SIGTERM, end)
users_are_on = False
try:
    for number in range(count):
        start(number)
    for _ in range(1200):
        if "is healthy" in ctl("endpoint", "health", at=0):
            break
        time.sleep(0.1)
    if has_users:
        for words in (
            ["user", "add", "root:r"], ["role", "add", "root"], ["user", "grant-role", "root", "root"],
            ["user", "add", "laptop:canary-etcd"], ["role", "add", "spaces"],
            ["role", "grant-permission", "spaces", "readwrite", "--prefix", "/spaces"],
            ["user", "grant-role", "laptop", "spaces"],
            ["user", "add", "reader:canary-etcd"], ["role", "add", "reads"],
            ["role", "grant-permission", "reads", "read", "--prefix", "/spaces"],
            ["user", "grant-role", "reader", "reads"], ["auth", "enable"],
        ):
            ctl(*words)
        users_are_on = True
    print(folder, *clients, flush=True)
    for line in sys.stdin:
        words = line.split()
        if words[0] == "kill":
            servers[int(words[1])].kill()
            servers[int(words[1])].wait()
            answer = "killed"
        elif words[0] == "start":
            start(int(words[1]))
            answer = "started"
        elif words[0] == "leader":
            answer = "none"
            for number in range(count):
                status = ctl("endpoint", "status", at=number).split(", ")
                if len(status) > 4 and status[4] == "true":
                    answer = str(number)
        else:
            answer = ctl(*words)
        print(answer, flush=True)
finally:
    end()
