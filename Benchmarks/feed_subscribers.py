#!/usr/bin/python3
"""feed_subscribers.py VAULT [NGINX]: many subscribers of one feed on one nginx, with an outage.

The space, its mirror, nginx and one follower are real; the other subscribers are tasks of this process that speak the
same protocol: a connection of its own for each request, `If-None-Match`, a timer of 30 s, half of that more or less,
the files that the feed names by their hashes. SUBSCRIBERS (1000), OUTAGE (60, in seconds).
"""

import asyncio
import hashlib
import os
import random
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

VAULT = os.path.abspath(sys.argv[1])
NGINX = sys.argv[2] if len(sys.argv) > 2 else shutil.which("nginx", path="/usr/sbin:/usr/bin")
COUNT = int(os.environ.get("SUBSCRIBERS", "1000"))
OUTAGE = float(os.environ.get("OUTAGE", "60"))
TIMER = (15.0, 45.0)  # StoreWatch.feedTimer


def feed_names(data):
    """When a feed was written, and the names of all its files: Documentation/design/sync-format.md, section 11."""
    assert data[:4] == b"VSM1"
    (written,) = struct.unpack_from("<q", data, 36)
    at, names = 48, []
    (streams,) = struct.unpack_from("<I", data, at)
    at += 4
    for _ in range(streams):
        at += 56
        (packs,) = struct.unpack_from("<I", data, at)
        at += 4
        for _ in range(packs):
            names.append(data[at + 4:at + 36].hex())
            at += 36
    return written, names


class Web:
    """nginx over the folder of a mirror."""

    def __init__(self, folder, root):
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        text = f"""daemon off; master_process on; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
user root;
events {{ worker_connections 4096; }}
http {{
  log_format each '$msec $status $bytes_sent $uri';
  access_log {folder}/access.log each;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{
    listen 127.0.0.1:{self.port} backlog=4096;
    root {root};
    location = /feed {{ add_header Cache-Control max-age=5; }}
    location /o/ {{ add_header Cache-Control "public, max-age=31536000, immutable"; }}
  }}
}}
"""
        if os.geteuid() != 0:
            text = text.replace("user root;\n", "")
        with open(f"{folder}/nginx.conf", "w", encoding="utf-8") as file:
            file.write(text)
        self.process, self.seconds = None, 0.0

    def start(self):
        self.process = subprocess.Popen([NGINX, "-p", self.folder, "-c", f"{self.folder}/nginx.conf"])
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.02)

    def stop(self):
        ticks = os.sysconf("SC_CLK_TCK")
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True)
        for pid in children.stdout.split():
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            self.seconds += (int(fields[11]) + int(fields[12])) / ticks
        self.process.terminate()
        self.process.wait()


class Subscriber:
    """One of many: what it knows, and when it had the newest feed."""

    def __init__(self, port, late):
        self.port, self.late = port, late
        self.tag, self.known, self.written, self.even = None, set(), 0, 0.0
        self.failures = 0

    async def get(self, path, tag=None):
        reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", self.port), 20)
        try:
            extra = f"If-None-Match: {tag}\r\n" if tag else ""
            writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{extra}Connection: close\r\n\r\n".encode())
            answer = await asyncio.wait_for(reader.read(-1), 20)
        finally:
            writer.close()
        head, _, body = answer.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        fields = dict(line.split(": ", 1) for line in lines[1:])
        return int(lines[0].split()[1]), fields.get("ETag"), body

    async def look(self):
        status, tag, body = await self.get("/feed", self.tag)
        if status == 304:
            return
        assert status == 200, status
        written, names = feed_names(body)
        assert written >= self.written
        for name in names:
            if name in self.known:
                continue
            status, _, file = await self.get(f"/o/{name}")
            assert status == 200 and hashlib.blake2b(file, digest_size=32).hexdigest() == name
            self.known.add(name)
        self.tag, self.written, self.even = tag, written, time.time()

    async def live(self):
        await asyncio.sleep(random.uniform(0, self.late))
        while True:
            try:
                await self.look()
            except (OSError, asyncio.TimeoutError, ValueError, IndexError):
                self.failures += 1
            await asyncio.sleep(random.uniform(*TIMER))


class Space:
    """A real space with a mirror, and a follower."""

    def __init__(self, folder):
        self.folder, self.www = folder, f"{folder}/www"
        for name in ("admin", "till", "store"):
            os.mkdir(f"{folder}/{name}", 0o700)
        for name in ("admin", "till"):
            with open(f"{folder}/{name}/key", "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(os.urandom(32))
            self.run(name, "init", "--no-recovery")
        for item in range(100):
            self.run("admin", "set", f"item-{item}", "--stdin", given=b"made-up")
        self.run("admin", "sync", "init", f"{folder}/store")
        self.run("admin", "sync", "subscription", "create", "shops", "--out", f"{folder}/code")
        self.publish()

    def run(self, name, *words, given=b""):
        home = f"{self.folder}/{name}"
        settings = {"HOME": home, "PATH": "/usr/bin:/bin", "VAULT_KEY_FILE": f"{home}/key",
                    "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
        done = subprocess.run([VAULT, "-q", "--no-session", *words], env=settings, input=given, capture_output=True,
                              check=False)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    def publish(self, value=None):
        if value:
            self.run("admin", "set", "item-1", "--stdin", given=value)
        self.run("admin", "sync", "mirror", self.www)
        with open(f"{self.www}/feed", "rb") as file:
            return feed_names(file.read())[0]


async def all_even(subscribers, written, since):
    """When each has a feed, in seconds after `since`."""
    while any(one.written < written for one in subscribers):
        await asyncio.sleep(0.2)
        assert time.time() - since < 300, sum(one.written < written for one in subscribers)
    return sorted(one.even - since for one in subscribers)


def told(times):
    return (f"p50 {statistics.median(times):.1f} s, p99 {times[int(len(times) * 0.99)]:.1f} s, "
            f"last {times[-1]:.1f} s")


def load(folder, start, end):
    """Requests a second and KiB a second of nginx in a span: mean and peak, and how many were 200 and 304."""
    seconds, bytes_sent, kinds = {}, 0, {}
    with open(f"{folder}/access.log", encoding="utf-8") as file:
        for line in file:
            moment, status, size, _ = line.split()
            if start <= float(moment) < end:
                seconds[int(float(moment))] = seconds.get(int(float(moment)), 0) + 1
                bytes_sent += int(size)
                kinds[status] = kinds.get(status, 0) + 1
    span = end - start
    total = sum(seconds.values())
    return (f"{total / span:.0f} requests/s, {max(seconds.values(), default=0)} in the busiest second, "
            f"{bytes_sent / span / 1024:.0f} KiB/s; " + ", ".join(f"{kinds[kind]} × {kind}" for kind in sorted(kinds)))


async def measure(folder):
    loop = asyncio.get_running_loop()
    space = await loop.run_in_executor(None, Space, folder)
    web = Web(folder, space.www)
    web.start()
    started = time.time()
    subscribers = [Subscriber(web.port, 30) for _ in range(COUNT)]
    tasks = [asyncio.create_task(one.live()) for one in subscribers]
    try:
        with open(f"{space.www}/feed", "rb") as file:
            first = feed_names(file.read())[0]
        print(f"{COUNT} begin: {told(await all_even(subscribers, first, started))}")
        at_rest = time.time()
        await asyncio.sleep(45)
        print(f"nothing new: {load(folder, at_rest, time.time())}")
        changed = time.time()
        written = await loop.run_in_executor(None, space.publish, b"second")
        print(f"a change: {told(await all_even(subscribers, written, changed))}")
        print(f"then: {load(folder, changed, time.time())}")
        web.stop()
        went = time.time()
        written = await loop.run_in_executor(None, space.publish, b"third")
        await asyncio.sleep(max(0.0, OUTAGE - (time.time() - went)))
        failures = sum(one.failures for one in subscribers)
        web.start()
        back = time.time()
        print(f"back after {back - went:.0f} s, {failures} requests that failed: "
              f"{told(await all_even(subscribers, written, back))}")
        print(f"then: {load(folder, back, time.time())}")
        feed = f"http://127.0.0.1:{web.port}/feed"
        await loop.run_in_executor(
            None, lambda: space.run("till", "sync", "join", feed, "--subscription", f"file:{folder}/code"))
        assert space.run("till", "get", "item-1") == b"third"
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        web.stop()
    print(f"nginx: {web.seconds:.1f} s of processor time in {time.time() - started:.0f} s")


def main():
    folder = tempfile.mkdtemp(prefix="vault-subscribers.")
    try:
        asyncio.run(measure(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
