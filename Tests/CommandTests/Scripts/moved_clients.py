"""moved_clients.py CLIENT VAULT FOLDER: a real client logs in before its secret is moved, after, and when it is back.

CLIENT is npm, cargo, gh, twine, psql, kubectl, docker, skopeo or curl. FOLDER is the home of a vault, whose file `key` opens it. The servers are
this script: they let in who knows the secret. Prints `in plain text`, `moved`, `back`, one a line.
"""

import base64
import http.server
import io
import json
import os
import shutil
import socketserver
import ssl
import struct
import subprocess
import sys
import tarfile
import threading

client, vault, home = sys.argv[1:4]
TOKEN = "c4n4ry-0123456789abcdef0123456789abcdef"
environment = {
    "HOME": home, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "VAULT_KEY_FILE": f"{home}/key", "NO_COLOR": "1",
    "DBUS_SESSION_BUS_ADDRESS": "disabled:", "no_proxy": "127.0.0.1", "CI": "1",
}
# rustup's cargo finds its toolchain by these.
for name in ("RUSTUP_HOME", "RUSTUP_TOOLCHAIN"):
    if name in os.environ:
        environment[name] = os.environ[name]
tools = os.path.expanduser("~/.rustup")
if "RUSTUP_HOME" not in environment and os.path.isdir(tools):
    environment["RUSTUP_HOME"] = tools


def run(words, **more):
    return subprocess.run(words, env={**environment, **more}, capture_output=True, text=True, timeout=300, cwd=home,
                          stdin=subprocess.DEVNULL)


def write(path, text):
    path = f"{home}/{path}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, 0o600)
    return path


class Web(http.server.BaseHTTPRequestHandler):
    """A registry, and a proxy that is every server behind it."""

    protocol_version = "HTTP/1.1"
    context = None

    def do_CONNECT(self):
        self.send_response(200)
        self.end_headers()
        self.connection = self.context.wrap_socket(self.connection, server_side=True)
        self.rfile = self.connection.makefile("rb")
        self.wfile = self.connection.makefile("wb", 0)

    def do_GET(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if client == "docker":
            return self.answer_docker()
        given = self.headers.get("Authorization") or ""
        basic = base64.b64encode(f"{'__token__' if client == 'twine' else 'ann'}:{TOKEN}".encode()).decode()
        known = given in (TOKEN, f"Bearer {TOKEN}", f"token {TOKEN}", f"Basic {basic}")
        isPublic = self.path.endswith("/config.json")
        port = server.server_address[1]
        answer = {"username": "ann", "login": "ann", "users": [{"id": 1, "login": "ann", "name": None}],
                  "data": {"viewer": {"login": "ann"}}}
        if isPublic:
            answer = {"dl": f"http://127.0.0.1:{port}/dl", "api": f"http://127.0.0.1:{port}"}
        if client == "skopeo":
            answer = {"name": "a", "tags": ["here"]}
        body = json.dumps(answer if known or isPublic else {"errors": [{"detail": "who?"}]}).encode()
        self.send_response(200 if known or isPublic else 401)
        if client == "skopeo":
            self.send_header("WWW-Authenticate", 'Basic realm="here"')
        self.send_header("Content-Type", "application/json")
        self.send_header("X-Oauth-Scopes", "repo, read:org, gist")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if self.command != "HEAD" else b"")

    def answer_docker(self):
        """The engine, which gets with a pull what its client has for the registry."""
        given = json.loads(base64.urlsafe_b64decode(self.headers.get("X-Registry-Auth") or "e30="))
        known = "/images/create" not in self.path or (given.get("username"), given.get("password")) == ("ann", TOKEN)
        body = json.dumps({} if known else {"message": "who?"}).encode()
        self.send_response(200 if known else 500)
        self.send_header("API-Version", "1.43")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if self.command != "HEAD" else b"")

    do_POST = do_PUT = do_HEAD = do_GET

    def log_message(self, *arguments):
        pass


class Postgres(socketserver.StreamRequestHandler):
    """As much of PostgreSQL's protocol 3 as a client needs to log in and ask one thing."""

    def handle(self):
        while True:
            length, code = struct.unpack("!II", self.rfile.read(8))
            self.rfile.read(length - 8)
            if code == 196608:
                break
            # Neither TLS nor GSSAPI.
            self.wfile.write(b"N")
        self.wfile.write(struct.pack("!cII", b"R", 8, 3))
        head = self.rfile.read(5)
        if len(head) < 5:
            # Nobody has a password.
            return
        kind, length = struct.unpack("!cI", head)
        password = self.rfile.read(length - 4).rstrip(b"\0").decode()
        if kind != b"p" or password != TOKEN:
            text = b"SFATAL\0C28P01\0Mwho?\0\0"
            self.wfile.write(struct.pack("!cI", b"E", 4 + len(text)) + text)
            return
        ready = struct.pack("!cI", b"Z", 5) + b"I"
        self.wfile.write(struct.pack("!cII", b"R", 8, 0) + ready)
        self.rfile.read(1)
        self.wfile.write(struct.pack("!cI", b"C", 13) + b"SELECT 1\0" + ready)
        self.rfile.read(1)


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


server = Server(("127.0.0.1", 0), Postgres if client == "psql" else Web)
threading.Thread(target=server.serve_forever, daemon=True).start()
port = server.server_address[1]
address = f"127.0.0.1:{port}"
wrapped = lambda item, words: [vault, "run", item, "--", *words]
# How the secret stands in a file.
SHOWN = TOKEN

if client == "npm":
    path = write(".npmrc", f"registry=http://{address}/\n//{address}/:_authToken={TOKEN}\n")
    words, item, word = ["npm", "whoami", f"--registry=http://{address}/"], f"npm/{address}", "npm"
elif client == "cargo":
    path = write(".cargo/credentials.toml", f'[registries.my]\ntoken = "{TOKEN}"\n')
    write(".cargo/config.toml", f'[registries.my]\nindex = "sparse+http://{address}/index/"\n'
          '[registry]\nglobal-credential-providers = ["cargo:token"]\n')
    words, item, word = ["cargo", "owner", "--list", "--registry", "my", "pkg"], "cargo/my", "cargo"
elif client == "gh":
    host = "github.example.com"
    certificate, key = f"{home}/certificate", f"{home}/certificate-key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={host}", "-addext",
         f"subjectAltName=DNS:{host}", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    Web.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    Web.context.load_cert_chain(certificate, key)
    environment.update(
        HTTPS_PROXY=f"http://{address}", SSL_CERT_FILE=certificate, GH_PROMPT_DISABLED="1", GH_NO_UPDATE_NOTIFIER="1")
    path = write(".config/gh/hosts.yml", f"{host}:\n    user: ann\n    oauth_token: {TOKEN}\n    git_protocol: https\n")
    words, item, word = ["gh", "api", "user", "--hostname", host], f"gh/{host}/ann", "gh"
elif client == "twine":
    path = write(".pypirc", "[distutils]\nindex-servers =\n    mine\n\n[mine]\n"
                 f"repository = http://{address}/\nusername = __token__\npassword = {TOKEN}\n")
    with tarfile.open(f"{home}/a-1.0.tar.gz", "w:gz") as archive:
        text = b"Metadata-Version: 2.1\nName: a\nVersion: 1.0\n"
        for name in ("PKG-INFO", "README"):
            entry = tarfile.TarInfo(f"a-1.0/{name}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
    words = ["twine", "upload", "--non-interactive", "--disable-progress-bar", "-r", "mine", "a-1.0.tar.gz"]
    item, word = "pypi/mine", "twine"
elif client == "psql":
    path = write(".pgpass", f"127.0.0.1:{port}:shop:ann:{TOKEN}\n")
    words, item, word = ["psql", "-w", "-h", "127.0.0.1", "-p", str(port), "-U", "ann", "-c", "select 1", "shop"], \
        f"postgresql/127.0.0.1:{port}/shop/ann", "psql"
elif client == "kubectl":
    # It sends no credentials where nothing is encrypted.
    certificate, key = f"{home}/certificate", f"{home}/certificate-key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
         "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    path = write(".kube/config", f"""apiVersion: v1
clusters:
- cluster:
    certificate-authority: {certificate}
    server: https://{address}
  name: here
contexts:
- context:
    cluster: here
    user: ann
  name: here
current-context: here
kind: Config
preferences: {{}}
users:
- name: ann
  user:
    token: {TOKEN}
""")
    words, item, word = ["kubectl", "get", "--raw", "/version"], "kube/ann", "kubectl"
    # It asks the vault by itself.
    wrapped = lambda item, words: words
elif client in ("docker", "skopeo"):
    auth = base64.b64encode(f"ann:{TOKEN}".encode()).decode()
    file = ".docker/config.json" if client == "docker" else ".config/containers/auth.json"
    path = write(file, json.dumps({"auths": {address: {"auth": auth}}}))
    SHOWN = auth
    environment.update(DOCKER_HOST=f"tcp://{address}", XDG_RUNTIME_DIR=f"{home}/run")
    # The link by which both start the command is made by it.
    environment["PATH"] = f"{home}/.local/bin:{environment['PATH']}"
    words = ["docker", "pull", f"{address}/a:here"] if client == "docker" else \
        ["skopeo", "list-tags", "--tls-verify=false", f"docker://{address}/a"]
    item, word = f"docker/{address}", "docker" if client == "docker" else "podman"
    wrapped = lambda item, words: words
else:
    path = write(".netrc", f"machine 127.0.0.1 login ann password {TOKEN}\n")
    words, item, word = ["curl", "-sSf", "--netrc", f"http://{address}/"], "git/127.0.0.1/ann", "netrc"
    template = f"machine 127.0.0.1 login ann password {{{{ secret://{item}?encoding=netrc }}}}\n"
    line = f'printf %s "$1" | "$0" inject | curl -sSf --netrc-file /dev/stdin http://{address}/'
    wrapped = lambda item, words: ["sh", "-c", line, vault, template]


def says(words, ends=0):
    done = run(words)
    assert (done.returncode == 0) == (ends == 0), (words, done.returncode, done.stdout, done.stderr)
    assert TOKEN not in done.stdout + done.stderr, "the secret is shown"


def found():
    return [os.path.join(folder, name) for folder, _, names in os.walk(home) for name in names
            if not os.path.islink(os.path.join(folder, name))
            and SHOWN.encode() in open(os.path.join(folder, name), "rb").read()]


says(words)
print("in plain text", flush=True)
moved = run([vault, "connect", word, "--move"])
assert moved.returncode == 0 and TOKEN not in moved.stdout + moved.stderr, moved.stderr
assert found() == [], found()
asks = client in ("kubectl", "docker", "skopeo")
says(words, ends=0 if asks else 1)
says(wrapped(item, words))
# What a program writes of itself is no secret.
assert found() == [], found()
print("moved", flush=True)
back = run([vault, "disconnect", "git" if client == "curl" else word])
assert back.returncode == 0, back.stderr
assert found() == [path], found()
assert not os.path.lexists(f"{home}/.local/bin/docker-credential-vault")
says(words)
print("back", flush=True)
server.shutdown()
