"""Clones from and pushes to a smart-HTTP server that wants a password. Usage: git_http.py LINKS HOME"""
import base64
import http.server
import os
import subprocess
import sys
import threading

links, home = sys.argv[1:3]
environment = {
    "HOME": home, "PATH": f"{links}:/usr/local/bin:/usr/bin:/bin",
    "VAULT_KEY_FILE": os.path.join(home, "key"), "GIT_TERMINAL_PROMPT": "0",
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com", "LC_ALL": "C.UTF-8",
}
password = {"now": "p w:%=ü"}
user = "david"


def run(*words, cwd=home, status=0, text=None):
    done = subprocess.run(
        words, env=environment, cwd=cwd, capture_output=True, check=False, input=text, text=True)
    assert done.returncode == status or (status is None and done.returncode != 0), (
        words, done.returncode, done.stdout, done.stderr)
    return done.stdout


class Server(http.server.BaseHTTPRequestHandler):
    """git http-backend(1) behind Basic authentication."""
    protocol_version = "HTTP/1.1"

    def serve(self):
        body = b""
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        wanted = base64.b64encode(f"{user}:{password['now']}".encode()).decode()
        if self.headers.get("Authorization") != f"Basic {wanted}":
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="' + "r" * 1000 + '"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        variables = {
            "PATH": environment["PATH"], "GIT_PROJECT_ROOT": os.path.join(home, "server"),
            "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path, "QUERY_STRING": query,
            "REQUEST_METHOD": self.command, "REMOTE_USER": user, "HOME": home,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
        }
        if encoding := self.headers.get("Content-Encoding"):
            variables["HTTP_CONTENT_ENCODING"] = encoding
        done = subprocess.run(
            ["git", "http-backend"], env=variables, input=body, capture_output=True, check=True)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        lines = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = next((value for key, value in lines if key == "Status"), "200 OK")
        self.send_response(int(status.split()[0]))
        for key, value in lines:
            if key != "Status":
                self.send_header(key, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = serve
    do_POST = serve

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
host = f"127.0.0.1:{server.server_port}"
url = f"http://{host}/project.git"

run("git", "init", "--bare", "-q", "-b", "main", os.path.join(home, "server/project.git"))
run("git", "config", "--global", "credential.helper", "vault")

# Nothing is known, nobody can be asked: refused.
run("git", "clone", "-q", url, "none", status=None)

# git itself hands the credential to the helper.
run("git", "credential", "approve",
    text=f"protocol=http\nhost={host}\nusername={user}\npassword={password['now']}\n\n")
run("git", "clone", "-q", url, "work")
work = os.path.join(home, "work")
with open(os.path.join(work, "file"), "w", encoding="utf-8") as file:
    file.write("text\n")
run("git", "add", "file", cwd=work)
run("git", "commit", "-q", "-m", "first", cwd=work)
run("git", "push", "-q", "origin", "HEAD:main", cwd=work)
run("git", "clone", "-q", url, "again")
assert os.path.exists(os.path.join(home, "again/file"))
history = run("vault", "history", f"git/http/{host}/{user}").strip().splitlines()
assert len(history) == 1, history

# The server's password changes: git has what the server refuses erased.
password["now"] = "another"
run("git", "fetch", "-q", cwd=work, status=None)
assert f"git/http/{host}/{user}" not in run("vault", "list")
run("vault", "restore", f"git/http/{host}/{user}")

# GIT_ASKPASS finds the same item.
password["now"] = "p w:%=ü"
run("git", "config", "--global", "--unset", "credential.helper")
environment["GIT_ASKPASS"] = os.path.join(links, "vault-askpass")
run("git", "clone", "-q", url, "third")
assert os.path.exists(os.path.join(home, "third/file"))

server.shutdown()
