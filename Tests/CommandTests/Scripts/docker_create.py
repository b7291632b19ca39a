"""What docker's client makes of a file of variables: docker_create.py FILE

Stands in for the daemon on a socket of its own, and prints the variables of the container that the client asks for, as
JSON.
"""
import http.server
import json
import os
import socketserver
import subprocess
import sys
import tempfile
import threading

asked = {}


class Daemon(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, body):
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Api-Version", "1.41")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    do_HEAD = do_GET = lambda self: self.answer({"ApiVersion": "1.41"})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.split("?")[0].endswith("/containers/create"):
            asked.update(json.loads(body))
        self.answer({"Id": "made-up", "Warnings": []})

    def address_string(self):
        return "socket"

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "docker.sock")
    with Server(path, Daemon) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        subprocess.run(
            ["docker", "--config", folder, "--host", "unix://" + path, "create", "--env-file", sys.argv[1], "image"],
            stdout=subprocess.DEVNULL, check=True, timeout=300)
        server.shutdown()
print(json.dumps(dict(line.split("=", 1) for line in asked["Env"] or [])))
