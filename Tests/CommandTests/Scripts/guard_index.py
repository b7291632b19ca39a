"""guard_index.py TEST VAULT FOLDER: pip and npm behind the wall, at an index on loopback that wants a password."""

import base64
import http.server
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import zipfile

test, vault, folder = sys.argv[1:4]
signal.pthread_sigmask(signal.SIG_SETMASK, [])
PASSWORD, OTHER = "canary-Index+1:%~", "canary-Other-2"
wheel = "demo_package-1.0-py3-none-any.whl"
seen = []


class Index(http.server.BaseHTTPRequestHandler):
    """PEP 503 behind Basic authentication, and npm's whoami behind a bearer token."""

    def do_GET(self):
        said = self.headers.get("Authorization")
        seen.append(said)
        basic = "Basic " + base64.b64encode(f"david:{PASSWORD}".encode()).decode()
        if said not in (basic, f"Bearer {PASSWORD}"):
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="index"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if self.path == "/simple/demo-package/":
            body, kind = f'<a href="/files/{wheel}">x</a>'.encode(), "text/html"
        elif self.path == f"/files/{wheel}":
            with open(f"{folder}/{wheel}", "rb") as file:
                body, kind = file.read(), "application/zip"
        elif self.path == "/-/whoami":
            body, kind = b'{"username":"david"}', "application/json"
        else:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
threading.Thread(target=server.serve_forever, daemon=True).start()
host = f"127.0.0.1:{server.server_port}"


def run(*words, status=0, text=None, **more):
    end = subprocess.run(
        words, cwd=folder, env=dict(os.environ, **more), input=text, text=True, capture_output=True, timeout=240)
    assert status is None or end.returncode == status, (words, end)
    assert PASSWORD not in end.stdout + end.stderr and OTHER not in end.stdout + end.stderr, end
    return end


def store(service, user, password):
    run(vault, "credential", "keyring", "--no-session", "set", service, user, text=password)


if test == "pip":
    with zipfile.ZipFile(f"{folder}/{wheel}", "w") as file:
        file.writestr("demo_package.py", "")
        file.writestr(
            "demo_package-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: demo-package\nVersion: 1.0\n")
        file.writestr(
            "demo_package-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr("demo_package-1.0.dist-info/RECORD", "")
    # The first one whose pip runs a program `keyring` (23.1), and that is there behind the wall.
    ask = "import pip, sys; sys.exit(tuple(map(int, pip.__version__.split('.')[:2])) < (23, 1))"
    for python in ("/usr/bin/python3", shutil.which("python3")):
        if subprocess.run([python, "-c", ask], capture_output=True).returncode == 0:
            break
    else:
        sys.exit("no such pip")
    python, prefix = run(
        python, "-c", "import os, sys; print(os.path.realpath(sys.executable), sys.base_prefix)").stdout.split()
    shows = [] if prefix.startswith("/usr") else ["--ro", prefix]
    url = f"http://david@{host}/simple/"
    # pip asks by the address of the index, then by its host.
    for service in (f"http://{host}/simple/", host):
        store(service, "david", PASSWORD)
    store("other.example", "david", OTHER)
    names = json.loads(run(vault, "list", "--json", "--no-session").stdout)["items"]
    (other,) = [one["name"] for one in names if "other.example" in one["name"]]
    line = [python, "-m", "pip", "--no-input", "--disable-pip-version-check", "install", "--no-deps", "--no-cache-dir",
            "--index-url", url, "--target", "lib", "demo-package"]
    let_out = [word for one in names if one["name"] != other for word in ("--only", one["name"])]
    run(vault, "-q", "guard", *shows, *let_out, "--", *line)
    assert os.path.exists(f"{folder}/lib/demo_package.py") and any(seen), seen
    # Nothing that is not let out, and not by the vault's own service.
    denied = run(vault, "-q", "guard", *shows, "--only", other, "--", *line, status=None)
    assert denied.returncode != 0, denied
    run(vault, "-q", "guard", *let_out, "--", "keyring", "get", "other.example", "david", status=1)
    log = json.loads(run(vault, "log", "--json", "--no-session").stdout)["records"]
    assert log and all(one["verb"].startswith("keyring by guard in pid:[") for one in log), log
    assert {one["purpose"] for one in log} <= {f"http://{host}/simple/", host}, log
elif test == "npm":
    run(vault, "set", "npm/token", "--stdin", "--no-session", text=PASSWORD)
    with open(f"{folder}/.npmrc", "w") as file:
        file.write(f"registry=http://{host}/\n//{host}/:_authToken=${{NPM_TOKEN}}\n")
    os.makedirs(f"{folder}/dep")
    for path, name, more in (("dep", "dep", {}), (".", "main", {"dependencies": {"dep": "file:dep"}})):
        with open(f"{folder}/{path}/package.json", "w") as file:
            json.dump({"name": name, "version": "1.0.0", **more}, file)
    inside = [vault, "-q", "guard", "--env", "NPM_TOKEN", "--", "npm"]
    who = run(vault, "run", "--no-session", "--env", "NPM_TOKEN=secret://npm/token", "--", *inside, "whoami")
    assert who.stdout == "david\n" and f"Bearer {PASSWORD}" in seen, (who, seen)
    # Without the variable there is none.
    none = run(vault, "-q", "guard", "--", "npm", "whoami", status=None)
    assert none.returncode != 0, none
    # An installation writes into the project, and nowhere in the home.
    run(vault, "-q", "guard", "--net", "none", "--", "npm", "install", "--offline", "--no-audit", "--no-fund", NPM_TOKEN="")
    assert os.path.exists(f"{folder}/node_modules/dep/package.json")
    assert not os.path.exists(os.path.expanduser("~/.npm"))
    # What the command prints of its token is masked where the line says so.
    shown = run(vault, "run", "--no-session", "--mask", "--env", "GH_TOKEN=secret://npm/token", "--", vault, "-q",
                "guard", "--env", "GH_TOKEN", "--", "sh", "-c", 'echo "token $GH_TOKEN"')
    assert shown.stdout == "token <redacted>\n", shown
else:
    sys.exit("no such test")
