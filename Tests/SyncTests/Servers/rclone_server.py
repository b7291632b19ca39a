#!/usr/bin/env python3
"""rclone as a WebDAV server, and a proxy before it that lies: ends when stdin ends.

Writes a line: a folder, then the proxy's port. The server's user is `laptop`, the password
`canary-dav`, and the files lie in `dav` below the folder. Takes lines, the name of a lie and
perhaps a number; answers each with one line:

    none        nothing is altered
    lose N      the next N files that are written are acknowledged and forgotten
    cut         a file that is read ends in the middle, and so does the connection
    short       a file that is read has its first half, and says that this is all
    frozen      what was listed once is listed so again
    future      all files were changed in the year 2090
    hang        nothing is answered
    status N    everything is answered so
"""
import base64, hashlib, http.client, http.server, os, re, shutil, signal, socket, subprocess, sys
import tempfile, threading, time

folder = tempfile.mkdtemp(prefix="vault-dav-")
os.mkdir(f"{folder}/dav")
digest = base64.b64encode(hashlib.sha1(b"canary-dav").digest()).decode()
with open(f"{folder}/users", "w") as file:
    file.write(f"laptop:{{SHA}}{digest}\n")
state = {"lie": "none", "number": 0, "listed": {}}
lock, ended = threading.Lock(), threading.Event()


def start():
    for _ in range(20):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = subprocess.Popen(
            ["rclone", "serve", "webdav", f"{folder}/dav", "--addr", f"127.0.0.1:{port}",
             "--htpasswd", f"{folder}/users", "--dir-cache-time", "0s", "--poll-interval", "0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], "HOME": folder, "RCLONE_CONFIG": f"{folder}/none"})
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return server, port
            except OSError:
                if server.poll() is not None:
                    break
                time.sleep(0.1)
        server.kill()
        server.wait()
    sys.exit("no server")


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, headers, body, length=None):
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in ("content-length", "transfer-encoding", "connection", "date"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def handle_any(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if "chunked" in (self.headers.get("Transfer-Encoding") or ""):
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        with lock:
            lie = state["lie"]
            is_lost = lie == "lose" and self.command == "PUT" and state["number"] > 0
            if is_lost:
                state["number"] -= 1
        if lie == "hang":
            ended.wait()
            return
        if lie == "status":
            return self.answer(state["number"], [], b"refused")
        if is_lost:
            return self.answer(201, [], b"Created")
        if lie == "frozen" and self.command == "PROPFIND" and self.path in state["listed"]:
            return self.answer(*state["listed"][self.path])
        upstream = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        headers = {n: v for n, v in self.headers.items()
                   if n.lower() not in ("transfer-encoding", "connection", "accept-encoding")}
        headers["Content-Length"] = str(len(body))
        if "Destination" in headers:
            headers["Destination"] = headers["Destination"].replace(str(own), str(port))
        upstream.request(self.command, self.path, body, headers)
        reply = upstream.getresponse()
        data = reply.read()
        upstream.close()
        fields = reply.getheaders()
        if self.command == "PROPFIND":
            if lie == "future":
                data = re.sub(rb"(getlastmodified>)[^<]*", rb"\1Sun, 01 Jan 2090 00:00:00 GMT", data)
            if lie != "frozen":
                state["listed"][self.path] = (reply.status, fields, data)
        if self.command == "GET" and reply.status == 200 and lie in ("cut", "short"):
            half = data[:len(data) // 2]
            self.answer(200, fields, half, len(data) if lie == "cut" else None)
            self.close_connection = True
            return
        self.answer(reply.status, fields, data)

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.handle_any
        raise AttributeError(name)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        pass


server, port = start()
proxy = Server(("127.0.0.1", 0), Proxy)
own = proxy.server_address[1]


def end(*_):
    ended.set()
    server.kill()
    server.wait()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


signal.signal(signal.SIGTERM, end)
threading.Thread(target=proxy.serve_forever, daemon=True).start()
print(folder, own, flush=True)
for line in sys.stdin:
    words = line.split()
    with lock:
        state["lie"], state["number"] = words[0], int(words[1]) if len(words) > 1 else 0
    print("ok", flush=True)
end()
