"""pip downloads from an index that wants a password. Usage: pip_index.py LINKS HOME"""
import base64
import http.server
import os
import subprocess
import sys
import threading
import zipfile

links, home = sys.argv[1:3]
password = "p w:%~"
wheel = os.path.join(home, "demo_package-1.0-py3-none-any.whl")
with zipfile.ZipFile(wheel, "w") as file:
    file.writestr("demo_package.py", "")
    file.writestr(
        "demo_package-1.0.dist-info/METADATA",
        "Metadata-Version: 2.1\nName: demo-package\nVersion: 1.0\n")
    file.writestr(
        "demo_package-1.0.dist-info/WHEEL",
        "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    file.writestr("demo_package-1.0.dist-info/RECORD", "")


class Index(http.server.BaseHTTPRequestHandler):
    """PEP 503 behind Basic authentication."""

    def do_GET(self):
        wanted = base64.b64encode(f"david:{password}".encode()).decode()
        if self.headers.get("Authorization") != f"Basic {wanted}":
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="index"')
            self.end_headers()
            return
        if self.path == "/simple/demo-package/":
            body, kind = b'<a href="/files/' + os.path.basename(wheel).encode() + b'">x</a>', "text/html"
        elif self.path.startswith("/files/"):
            with open(wheel, "rb") as file:
                body, kind = file.read(), "application/zip"
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
environment = {
    "HOME": home, "PATH": os.environ["PATH"], "VAULT_KEY_FILE": os.path.join(home, "key"),
    "PIP_CONFIG_FILE": os.devnull, "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_CACHE_DIR": "1", "LC_ALL": "C.UTF-8",
}


def download(status):
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", "--no-deps", "--keyring-provider", "subprocess",
         "--index-url", f"http://david@{host}/simple", "-d", os.path.join(home, "out"),
         "demo-package"], env=environment, cwd=home, capture_output=True, check=False, text=True)
    assert (done.returncode == 0) == status, (done.stdout, done.stderr)


download(False)
subprocess.run(
    [os.path.join(links, "keyring"), "set", host, "david"], env=environment, check=True,
    input=password.encode() + b"\n")
download(True)
assert os.path.exists(os.path.join(home, "out", os.path.basename(wheel)))
