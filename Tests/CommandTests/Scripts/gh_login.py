"""gh logs in at a server of its own making, and keeps the token in the keyring. Usage: gh_login.py FOLDER"""

import http.server
import json
import os
import ssl
import subprocess
import sys
import threading

folder = sys.argv[1]
HOST, TOKEN = "github.example.com", "ghp_" + "c4nary" * 6
certificate, key = f"{folder}/certificate", f"{folder}/certificate-key"
subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={HOST}",
     "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", key, "-out", certificate], check=True, capture_output=True)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)


class Server(http.server.BaseHTTPRequestHandler):
    """A proxy that is also every server behind it."""

    protocol_version = "HTTP/1.1"

    def do_CONNECT(self):
        self.send_response(200)
        self.end_headers()
        self.connection = context.wrap_socket(self.connection, server_side=True)
        self.rfile = self.connection.makefile("rb")
        self.wfile = self.connection.makefile("wb", 0)

    def do_GET(self):
        self.answer()

    do_POST = do_HEAD = do_GET

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        known = self.headers.get("Authorization") == f"token {TOKEN}"
        body = json.dumps({"data": {"viewer": {"login": "octocat"}}, "login": "octocat"}).encode()
        self.send_response(200 if known else 401)
        self.send_header("X-Oauth-Scopes", "repo, read:org, gist")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if self.command != "HEAD" else b"")

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
environment = dict(
    os.environ, HTTPS_PROXY=f"http://127.0.0.1:{server.server_port}", SSL_CERT_FILE=certificate,
    GH_CONFIG_DIR=f"{folder}/gh", GH_PROMPT_DISABLED="1", GH_NO_UPDATE_NOTIFIER="1", NO_COLOR="1")


def gh(*words, text=""):
    done = subprocess.run(["gh", *words], input=text, text=True, capture_output=True, env=environment, check=False)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


gh("auth", "login", "--hostname", HOST, "--with-token", text=TOKEN)
assert gh("auth", "token", "--hostname", HOST).strip() == TOKEN
assert "keyring" in gh("auth", "status", "--hostname", HOST)
# The token is in the keyring alone.
for base, _, files in os.walk(f"{folder}/gh"):
    for name in files:
        with open(os.path.join(base, name), encoding="utf-8") as file:
            assert TOKEN not in file.read(), name
gh("auth", "logout", "--hostname", HOST)
