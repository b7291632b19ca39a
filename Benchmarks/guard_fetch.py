#!/usr/bin/python3
"""guard_fetch.py BINARY: `git fetch` behind `vault guard` beside one outside, each with its password from the vault.

A repository on loopback wants a password. One process outside and one behind a wall that stands fetch by turns; git has
nothing new to fetch, so that what is measured is git's start, the question to the helper and its answer. Prints medians
and 90th percentiles in milliseconds, and what the wall itself takes.
"""

import base64
import http.server
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROUNDS = int(os.environ.get("ROUNDS", "100"))
LOOP = """
import subprocess, sys, time
for _ in sys.stdin:
    begun = time.perf_counter_ns()
    subprocess.run(["git", "fetch", "-q"], check=True)
    print(time.perf_counter_ns() - begun, flush=True)
"""


class Server(http.server.BaseHTTPRequestHandler):
    """git http-backend(1) behind Basic authentication."""

    protocol_version = "HTTP/1.1"
    folder = ""

    def serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers.get("Authorization") != "Basic " + base64.b64encode(b"me:p").decode():
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="r"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        done = subprocess.run(["git", "http-backend"], input=body, capture_output=True, check=True, env={
            "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": self.folder, "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path,
            "QUERY_STRING": query, "REQUEST_METHOD": self.command, "REMOTE_USER": "me", "HOME": self.folder,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", "")})
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        self.send_response(200)
        for line in head.decode().split("\r\n"):
            name, value = line.split(": ", 1)
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = serve
    do_POST = serve

    def log_message(self, *_):
        pass


def row(name, times):
    return f"| {name} | {statistics.median(times):.1f} ({sorted(times)[len(times) * 9 // 10]:.1f}) |"


def main(binary):
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        project = home / "project"
        Server.folder = f"{folder}/server"
        variables = {
            "HOME": folder, "PATH": os.environ["PATH"], "VAULT_KEY_FILE": f"{folder}/key", "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "XDG_RUNTIME_DIR": f"{folder}/run"}
        (home / "run").mkdir(mode=0o700)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"

        def do(*words, text=None, cwd=folder):
            return subprocess.run(words, check=True, capture_output=True, text=True, env=variables, input=text, cwd=cwd)

        do(binary, "init", "--key-file", f"{folder}/key", "--no-recovery", "-q")
        do(binary, "credential", "git", "--no-session", "store",
           text=f"protocol=http\nhost=127.0.0.1:{server.server_port}\nusername=me\npassword=p\n\n")
        do("git", "init", "-q", "--bare", f"{folder}/server/repo")
        do("git", "init", "-q", str(project))
        do("git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "a",
           cwd=project)
        do("git", "push", "-q", f"{folder}/server/repo", "HEAD:refs/heads/main", cwd=project)
        do("git", "remote", "add", "origin", f"{url}/repo", cwd=project)
        helper = f"!{binary} credential git --no-session"
        outside = dict(variables, GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="credential.helper", GIT_CONFIG_VALUE_0=helper)
        loop = ["/usr/bin/python3", "-c", LOOP]
        lines = {
            "outside": (loop, outside),
            "behind the wall": ([binary, "-q", "guard", "--only", "git/*", "--", *loop], variables)}
        processes = {
            name: subprocess.Popen(
                words, env=environment, cwd=project, text=True, bufsize=1, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE)
            for name, (words, environment) in lines.items()}
        times = {name: [] for name in lines}
        for number in range(ROUNDS + 3):
            for name, process in processes.items():
                process.stdin.write("go\n")
                taken = int(process.stdout.readline()) / 1e6
                if number >= 3:
                    times[name].append(taken)
        for process in processes.values():
            process.stdin.close()
            process.wait()
        walls = []
        for _ in range(min(ROUNDS, 50)):
            begun = time.perf_counter_ns()
            do(binary, "-q", "guard", "--", "/bin/true", cwd=project)
            walls.append((time.perf_counter_ns() - begun) / 1e6)
        print("| what | ms (90 %) |\n| --- | --- |")
        for name, taken in times.items():
            print(row(f"git fetch {name}", taken))
        print(row("the wall itself: guard -- true", walls))
        both = [statistics.median(taken) for taken in times.values()]
        print(f"\nbehind the wall: {both[1] - both[0]:+.1f} ms")


main(sys.argv[1])
