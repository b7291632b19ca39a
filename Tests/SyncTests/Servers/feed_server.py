#!/usr/bin/env python3
"""A web server of one folder, and of answers that lie: ends when stdin ends.

Takes the folder, and a folder with a certificate of its own if it is to speak TLS; writes a line: the
folder, then the port. Files below `/www/` have an ETag, and If-None-Match is answered. Takes lines, and
answers each with one:

    asked       what was asked for since the last time: `STATUS PATH`, with commas between them

Other paths lie:

    /hop/feed       leads to /www/feed
    /plain/feed     leads to http://www.example.org/feed
    /loop/feed      leads to itself
    /name/feed      leads to https://me:secret@127.0.0.1/feed
    /endless/feed   never ends
    /cut/feed       ends in the middle
    /many/feed      a head without an end
    /refused/feed   403
"""
import hashlib, http.server, os, ssl, sys, threading

import certificates

folder = sys.argv[1]
asked, lock = [], threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def say(self, status, headers=(), body=b""):
        with lock:
            asked.append(f"{status} {self.path}")
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        places = {"/hop/feed": "/www/feed", "/plain/feed": "http://www.example.org/feed",
                  "/loop/feed": "/loop/feed", "/name/feed": "https://me:secret@127.0.0.1/feed"}
        self.close_connection = not self.path.startswith("/www/")
        if self.path in places:
            return self.say(302, [("Location", places[self.path])])
        if self.path == "/refused/feed":
            return self.say(403)
        if self.path == "/endless/feed":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b"x" * 65536)
            except OSError:
                return
        if self.path == "/many/feed":
            self.send_response(200)
            try:
                for number in range(1 << 20):
                    self.wfile.write(b"X-%d: %s\r\n" % (number, b"x" * 1000))
            except OSError:
                return
        if self.path == "/cut/feed":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            return self.wfile.write(b"half")
        path = os.path.normpath(folder + self.path.removeprefix("/www"))
        if not self.path.startswith("/www/") or not path.startswith(folder) or not os.path.isfile(path):
            return self.say(404)
        with open(path, "rb") as file:
            body = file.read()
        tag = '"' + hashlib.sha256(body).hexdigest()[:32] + '"'
        if self.headers["If-None-Match"] == tag:
            return self.say(304, [("ETag", tag)])
        self.say(200, [("ETag", tag)], body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificates.make(sys.argv[2]))
    server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(folder, server.server_address[1], flush=True)
for line in sys.stdin:
    with lock:
        print(",".join(asked), flush=True)
        asked.clear()
