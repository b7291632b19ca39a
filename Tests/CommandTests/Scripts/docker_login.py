"""docker login, use and logout against a loopback registry. Usage: docker_login.py LINKS HOME"""
import base64
import http.server
import json
import os
import subprocess
import sys
import threading

links, home = sys.argv[1:3]
docker = os.path.join(home, "docker")
os.makedirs(docker)
configuration = os.path.join(docker, "config.json")
with open(configuration, "w", encoding="utf-8") as file:
    json.dump({"credsStore": "vault"}, file)
environment = {
    "HOME": home, "PATH": f"{links}:/usr/local/bin:/usr/bin:/bin", "DOCKER_CONFIG": docker,
    "VAULT_KEY_FILE": os.path.join(home, "key"), "LC_ALL": "C.UTF-8",
}
secret = "p w\"ü"
seen = []


class Registry(http.server.BaseHTTPRequestHandler):
    """What distribution's API answers to a login: GET /v2/, and the engine's question for it."""
    protocol_version = "HTTP/1.1"

    def answer(self, status, value, headers=()):
        body = json.dumps(value).encode()
        self.send_response(status)
        for name, text in headers:
            self.send_header(name, text)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        if self.path.endswith("/_ping"):
            return self.answer(200, {}, [("API-Version", "1.43")])
        if self.path.endswith("/info"):
            return self.answer(200, {"IndexServerAddress": "https://index.docker.io/v1/"})
        return self.answer(404, {"message": "nothing here"})

    do_HEAD = do_GET

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.endswith("/auth"):
            given = json.loads(body)
            seen.append(("auth", given.get("username"), given.get("password")))
            if given.get("password") != secret:
                return self.answer(401, {"message": "unauthorized"})
            return self.answer(200, {"Status": "Login Succeeded"})
        if "/images/create" in self.path:
            given = json.loads(base64.urlsafe_b64decode(self.headers["X-Registry-Auth"]))
            seen.append(("pull", given.get("username"), given.get("password")))
            return self.answer(200, {"status": "done"})
        return self.answer(404, {"message": "nothing here"})

    def log_message(self, *_):
        pass


# No engine runs here: this is the API that the client asks for it, and the registry behind it.
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
threading.Thread(target=server.serve_forever, daemon=True).start()
environment["DOCKER_HOST"] = f"tcp://127.0.0.1:{server.server_port}"
registry = f"127.0.0.1:{server.server_port}"


def run(*words, text=None, status=0):
    done = subprocess.run(
        words, env=environment, cwd=home, capture_output=True, check=False, text=True, input=text)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


run("docker", "login", "-u", "david", "--password-stdin", registry, text=secret)
with open(configuration, encoding="utf-8") as file:
    kept = file.read()
assert secret not in kept and base64.b64encode(f"david:{secret}".encode()).decode() not in kept
assert json.loads(run("docker-credential-vault", "list")) == {registry: "david"}, seen

# The stored credential is what a pull sends.
run("docker", "pull", f"{registry}/image:latest")
assert ("pull", "david", secret) in seen, seen

# A locked vault is an error of docker's, not a pull without a name.
run("vault", "lock")
environment["VAULT_KEY_FILE"] = ""
told = run("docker", "login", registry, status=1, text="")
assert "credentials not found" not in told, told
environment["VAULT_KEY_FILE"] = os.path.join(home, "key")

run("docker", "logout", registry)
assert json.loads(run("docker-credential-vault", "list")) == {}
